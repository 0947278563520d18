"""The base of all scenario models: strict keys, checked numbers, and faults that name their key."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, Self

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    GetJsonSchemaHandler,
    ModelWrapValidatorHandler,
    PrivateAttr,
    Strict,
    ValidationError,
    model_validator,
)
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, PydanticCustomError

from pantala.catalogue.key import Key
from pantala.errors import UsageError
from pantala.models.copied import WHOLE, copied
from pantala.models.faults import scenario_error
from pantala.models.key_docs import add_descriptions
from pantala.models.unread_keys import unread_here
from pantala.models.validation import fault, validated
from pantala.text.units import Bandwidth, Duration, Parsed, Quantity, Size, TimePerByte

__all__ = [
    "Count",
    "Flag",
    "Index",
    "Model",
    "Name",
    "PositiveBandwidth",
    "PositiveDuration",
    "PositiveSize",
    "Repetitions",
    "RepetitionsOrNone",
    "Share",
    "Switch",
    "UnsignedDuration",
    "UnsignedSize",
    "UnsignedTimePerByte",
    "fault",
    "plain",
]


def plain(value: Any) -> Any:
    """Returns scenario values as TOML or JSON data.

    The result has only the given keys, without values of presets and defaults.
    """
    kind = type(value)
    if kind in WHOLE:  # most values; checks of abstract types take longer than the rest
        return value
    if kind is not dict and isinstance(value, Model):
        return value.as_given()
    if isinstance(value, Parsed):
        return str(value)
    if kind is dict or isinstance(value, Mapping):
        return {key.removesuffix("_"): plain(below) for key, below in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    return value


class Model(BaseModel):
    """The base of every part of a scenario: typed, immutable and strict about its keys.

    Raises:
        ScenarioError: a value is missing, unknown, of the wrong type or out of range.
    """

    model_config = ConfigDict(
        extra="forbid",
        frozen=True,
        validate_default=True,
        defer_build=True,  # only the models in use; nested ones are built into the outermost
        validate_by_name=True,
        validate_by_alias=True,
        serialize_by_alias=True,
    )

    #: The field that a bare string sets: ``machine = "kang2022"`` means ``machine = { preset =
    #: "kang2022" }``.
    shorthand: ClassVar[str | None] = None
    #: Whether a preset can give any of the fields. The JSON Schema then requires none.
    from_preset: ClassVar[bool] = False
    #: Fields that a preset of another table can give. The JSON Schema does not require them.
    given_elsewhere: ClassVar[tuple[str, ...]] = ()

    if not TYPE_CHECKING:  # type checkers derive the arguments of each model from its fields

        def __init__(self, /, **values):
            values = copied(values)
            try:
                super().__init__(**values)
            except ValidationError as error:
                raise scenario_error(error, type(self).__name__, values) from None
            self._remember(values)

        # Models inside a model are validated by its fields, not by calls: their faults come
        # together in one error. This flag of pydantic says that the method does not change that.
        __init__.__pydantic_base_init__ = True

    @model_validator(mode="wrap")
    @classmethod
    def _read_keys(cls, data: Any, handler: ModelWrapValidatorHandler[Self]) -> Self:
        if isinstance(data, str) and cls.shorthand is not None:
            data = {cls.shorthand: data}
        if not isinstance(data, Mapping):
            if cls.shorthand is not None and isinstance(data, int | float):
                raise fault("is neither text nor a table", cls._text_remedy(cls.shorthand))
            return handler(data)
        made: Self = validated(cls, data, handler)
        made._made_of = data
        return made

    @classmethod
    def _text_remedy(cls, shorthand: str) -> str:
        """Returns how to write the text that stands for one field."""
        extra = cls.model_fields[shorthand].json_schema_extra
        examples = extra.get("examples") if isinstance(extra, dict) else None
        such = f' such as "{examples[0]}"' if isinstance(examples, list) and examples else ""
        return f"write a text{such}, or its keys in {{ }}"

    @classmethod
    @cache
    def known_keys(cls) -> Mapping[str, str]:
        """Returns each accepted spelling of a key with the scenario's own spelling.

        Some keys have a second spelling, because ``global=`` is not valid Python.
        """
        spelled = {name: cls.model_fields[name].alias or name for name in cls.in_order()}
        return spelled | {key: key for key in spelled.values()}

    @classmethod
    @cache
    def in_order(cls) -> Sequence[str]:
        """Returns the fields in the order of the documentation: own fields, then inherited ones."""
        own = [name for name in cls.__annotations__ if name in cls.model_fields]
        return [*own, *(name for name in cls.model_fields if name not in own)]

    @classmethod
    def stated(cls, data: Mapping[str, Any]) -> dict[str, Any]:
        """Returns the table with its `kind`, also if the data leaves it out."""
        kind = cls.model_fields.get("kind")
        return dict(data) if kind is None else {"kind": kind.default, **data}

    #: The keys that the core declares, by name.
    declared: ClassVar[Mapping[str, Key]] = {}

    @classmethod
    def between_fields(cls, made: Any, data: Mapping[str, Any]) -> Iterator[PydanticCustomError]:
        """Yields the faults of keys without effect.

        The scenario itself checks the tables that presets complete.
        """
        if not cls.from_preset:
            yield from unread_here(made, data)

    _made_of: Mapping[str, Any] = PrivateAttr(default={})

    @classmethod
    def __pydantic_init_subclass__(cls, **arguments: Any) -> None:
        """Checks that a user's subclass adds no field that the plan cannot contain.

        Raises:
            UsageError: the class adds fields and does not write the plan itself.
        """
        super().__pydantic_init_subclass__(**arguments)
        ours = next(base for base in cls.__mro__ if base.__module__.startswith("pantala."))
        writer = getattr(cls, "as_plan", None)
        if ours is cls or (writer is not None and writer is not getattr(ours, "as_plan", None)):
            return
        added = [name for name in cls.model_fields if name not in ours.model_fields]  # type: ignore[attr-defined]
        if added:
            raise UsageError(
                f"class {cls.__name__}: field '{added[0]}' is not a key of pt.{ours.__name__} and"
                " has no effect; remove it, or write as_plan for your own workload"
            )

    def __eq__(self, other: object) -> bool:
        """Returns whether both have the same values, regardless of the way they were given."""
        return type(self) is type(other) and self.__dict__ == other.__dict__

    def __hash__(self) -> int:
        return hash((type(self), *self.__dict__.values()))

    def __setattr__(self, name: str, value: Any) -> None:
        """Sets a private attribute; the keys of a scenario stay as they are.

        Raises:
            UsageError: it is another attribute.
        """
        if not name.startswith("_"):
            raise UsageError(
                f"{type(self).__name__}.{name}: cannot be set, so that runs stay what they were"
                " made of; make a changed scenario with Scenario.replace({'KEY': VALUE})"
            )
        super().__setattr__(name, value)

    def _remember(self, values: Mapping[str, Any]) -> None:
        """Keeps the arguments from which the object was made."""
        self._made_of = values

    def as_given(self) -> dict[str, Any]:
        """Returns the keys from which the object was made, as TOML or JSON data."""
        kind = type(self).model_fields.get("kind")
        keys: dict[str, Any] = {} if kind is None else {"kind": getattr(self, "kind")}  # noqa: B009
        return {**keys, **plain(self._made_of)}

    @classmethod
    def complete(cls, data: dict[str, Any]) -> dict[str, Any]:
        """Returns the data with the values of presets, before the fields are validated.

        The base class has no presets.
        """
        return data

    @classmethod
    def between_keys(cls, data: Mapping[str, Any]) -> Iterable[PydanticCustomError]:
        """Returns the faults between keys.

        Args:
            data: data after `complete`; the values can be invalid.
        """
        return ()

    @classmethod
    def __get_pydantic_json_schema__(
        cls, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        described = handler(schema)
        table = handler.resolve_ref_schema(described)
        add_descriptions(table, cls)
        keys = [
            key
            for key in dict.fromkeys(cls.known_keys().values())
            if key in table.get("properties", {})
        ]
        table["properties"] = {key: table["properties"][key] for key in keys}
        if cls.from_preset:
            table.pop("required", None)
        elif "const" in table.get("properties", {}).get("kind", {}):
            table["required"] = ["kind", *table.get("required", [])]
        for name in cls.given_elsewhere:
            table["required"].remove(name)
        if cls.shorthand is None:
            return described
        field = table["properties"][cls.shorthand]
        short = {key: field[key] for key in ("type", "enum", "anyOf") if key in field}
        return {
            "anyOf": [described, short | {"description": f"Short for {{ {cls.shorthand} = ... }}."}]
        }


def _positive(value: Quantity) -> Quantity:
    if value <= 0:
        raise fault("must be more than zero", f"write e.g. '{value._examples[0]}'")
    return value


def _unsigned(value: Quantity) -> Quantity:
    if value < 0:
        raise fault("must not be negative", f"write e.g. '{value._examples[0]}'")
    return value


#: A time of at least one picosecond.
PositiveDuration = Annotated[Duration, AfterValidator(_positive)]
#: A time, zero allowed.
UnsignedDuration = Annotated[Duration, AfterValidator(_unsigned)]
#: A size of at least one byte.
PositiveSize = Annotated[Size, AfterValidator(_positive)]
#: A size, zero allowed.
UnsignedSize = Annotated[Size, AfterValidator(_unsigned)]
#: A time per byte, zero allowed.
UnsignedTimePerByte = Annotated[TimePerByte, AfterValidator(_unsigned)]
#: A bandwidth above zero.
PositiveBandwidth = Annotated[Bandwidth, AfterValidator(_positive)]

#: A count of at least one.
Count = Annotated[int, Strict(), Field(ge=1, le=2**32 - 1)]
#: The most ranks of a job: 16 times the nodes of the largest machine that was tried.
MOST_RANKS = 2**24
#: A count, zero allowed, or an index from 0.
Index = Annotated[int, Strict(), Field(ge=0, le=2**32 - 1)]
#: A count of operations that the plan lists one by one, at least one.
Repetitions = Annotated[int, Strict(), Field(ge=1, le=1_000_000)]
#: The same, zero allowed.
RepetitionsOrNone = Annotated[int, Strict(), Field(ge=0, le=1_000_000)]
#: A share, from 0 to 1.
Share = Annotated[float, Strict(), Field(ge=0.0, le=1.0, allow_inf_nan=False)]
#: ``true`` or ``false`` only; 0, 1 and texts are rejected.
Flag = Annotated[bool, Strict()]
#: A flag that also accepts "on" and "off".
Switch = Annotated[
    bool,
    Strict(),
    BeforeValidator(
        lambda value: (
            {"on": True, "off": False}.get(value, value) if isinstance(value, str) else value
        ),
        json_schema_input_type=bool | Literal["on", "off"],
    ),
]
#: A name that can name a directory: letters, digits, ``.``, ``_``, ``-``.
Name = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$", max_length=64)]
