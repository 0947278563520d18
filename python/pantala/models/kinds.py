"""Tables that `kind` distinguishes, with models that are imported when their kind is first met."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pkgutil import resolve_name
from typing import TYPE_CHECKING, TypeVar

from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, PydanticKnownError, core_schema

from pantala.errors import nearest
from pantala.models.base import Model
from pantala.models.validation import fault

if TYPE_CHECKING:
    from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler
    from pydantic.json_schema import JsonSchemaValue

__all__ = ["KindOf", "Kinds"]

M = TypeVar("M", bound=Model, covariant=True)


class Kinds(Mapping[str, type[M]]):
    """Models by kind. A model's module is imported when the model is first used.

    Args:
        places: kind to ``"module:class"``.
    """

    def __init__(self, places: Mapping[str, str]) -> None:
        self.places = places

    def __getitem__(self, kind: str) -> type[M]:
        model: type[M] = resolve_name(self.places[kind])
        return model

    def __iter__(self) -> Iterator[str]:
        return iter(self.places)

    def __len__(self) -> int:
        return len(self.places)


@dataclass(frozen=True, eq=False)
class KindOf:
    """The type of a field, as an annotation: one of several models, of which `kind` names one.

    It accepts what a union of pydantic with the discriminator ``kind`` accepts, and its JSON Schema
    is that of the union. The models need not be imported before a table names them.

    Attributes:
        kinds: the models by kind.
        meant: the kind that is meant by a word that is none.
    """

    kinds: Mapping[str, type[Model]]
    meant: Mapping[str, str] = field(default_factory=dict)

    def __get_pydantic_core_schema__(
        self, source: object, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        return core_schema.no_info_plain_validator_function(self._validated)

    def __get_pydantic_json_schema__(
        self, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        for model in self.kinds.values():
            model.model_rebuild()
        choices = {kind: model.__pydantic_core_schema__ for kind, model in self.kinds.items()}
        return handler(core_schema.tagged_union_schema(choices, "kind"))

    def _validated(self, given: object) -> object:
        """Returns the model of a table; a model stays as it is.

        Raises:
            ValidationError: the table is wrong for its kind.
            PydanticKnownError: the value is no table, or has no kind that is known.
            PydanticCustomError: the value is a kind without its table.
        """
        if isinstance(given, Model):
            kind = getattr(given, "kind", None)
        elif isinstance(given, Mapping):
            kind = given.get("kind")
        elif isinstance(given, str) and (close := nearest(given, list(self.kinds))):
            raise fault("is not a table", f'write {{ kind = "{close}" }}')
        else:
            raise PydanticKnownError("model_attributes_type")
        if kind is None:
            raise PydanticKnownError("union_tag_not_found", {"discriminator": "'kind'"})
        if isinstance(kind, str) and (meant := self.meant.get(kind.lower())):
            raise fault("is not known", f'write kind = "{meant}"', "kind")
        if not isinstance(kind, str) or kind not in self.kinds:
            expected = ", ".join(f"'{each}'" for each in self.kinds)
            known = {"discriminator": "'kind'", "tag": str(kind), "expected_tags": expected}
            raise PydanticKnownError("union_tag_invalid", known)
        return self.kinds[kind].model_validate(given)
