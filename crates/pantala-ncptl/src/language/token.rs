//! Words and symbols of the language.

use super::ast::Function;
use super::source::Span;

/// A token and its place.
#[derive(Clone, Debug)]
pub(super) struct Token {
    pub(super) kind: TokenKind,
    pub(super) span: Span,
    /// True if the lexer has dropped a hyphen before this keyword.
    pub(super) hyphen: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum TokenKind {
    Word(Word),
    Function(Function),
    Symbol(Symbol),
    Identifier(String),
    Integer(i64),
    Text(String),
    End,
}

macro_rules! words {
    ($($word:ident: $($spelling:literal)+;)+) => {
        /// Keywords but for the names of functions. All spellings of a row are one word; the first
        /// one is for messages.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(super) enum Word { $($word,)+ }

        impl Word {
            const SPELLINGS: &[(&str, Word)] = &[$($(($spelling, Word::$word),)+)+];

            /// The spelling for messages.
            pub(super) fn name(self) -> &'static str {
                match self { $(Word::$word => words!(@first $($spelling)+),)+ }
            }
        }
    };
    (@first $first:literal $($rest:literal)*) => { $first };
}

words! {
    Absolute: "ABSOLUTE"; Aggregates: "AGGREGATES"; Aligned: "ALIGNED"; All: "ALL"; An: "A" "AN";
    And: "AND"; Are: "IS" "ARE"; Arithmetic: "ARITHMETIC"; As: "AS"; Assert: "ASSERT";
    Assigned: "ASSIGNED"; Asynchronously: "ASYNCHRONOUSLY"; Awaits: "AWAITS" "AWAIT";
    Backend: "BACKEND"; Be: "BE"; Bits: "BITS" "BIT"; Buffers: "BUFFER" "BUFFERS"; But: "BUT";
    Bytes: "BYTES" "BYTE"; Comes: "COMES"; Completions: "COMPLETION" "COMPLETIONS";
    Computes: "COMPUTES" "COMPUTE"; Counters: "COUNTERS"; Current: "CURRENT"; Data: "DATA";
    Days: "DAYS" "DAY"; Declares: "DECLARES"; Default: "DEFAULT"; Deviation: "DEVIATION";
    Divides: "DIVIDES"; Doublewords: "DOUBLEWORDS" "DOUBLEWORD"; Each: "EACH"; Even: "EVEN";
    Executes: "EXECUTES" "EXECUTE"; FileData: "FILE_DATA"; Final: "FINAL"; For: "FOR";
    From: "FROM"; Geometric: "GEOMETRIC"; Gigabyte: "GIGABYTE"; Greater: "GREATER";
    Group: "GROUP"; Halfwords: "HALFWORDS" "HALFWORD"; Harmonic: "HARMONIC";
    Histogram: "HISTOGRAM"; Hours: "HOURS" "HOUR"; If: "IF"; In: "IN";
    Integers: "INTEGERS" "INTEGER"; Into: "INTO"; Kilobyte: "KILOBYTE"; Language: "LANGUAGE";
    Less: "LESS"; Let: "LET"; Logs: "LOGS" "LOG"; Maximum: "MAXIMUM"; Mean: "MEAN";
    Median: "MEDIAN"; Megabyte: "MEGABYTE"; Memory: "MEMORY"; MeshCoordinate: "MESH_COORDINATE";
    MeshDistance: "MESH_DISTANCE"; MeshNeighbor: "MESH_NEIGHBOR";
    Messages: "MESSAGES" "MESSAGE"; Microseconds: "MICROSECONDS" "MICROSECOND";
    Milliseconds: "MILLISECONDS" "MILLISECOND"; Minimum: "MINIMUM"; Minutes: "MINUTES" "MINUTE";
    Misaligned: "MISALIGNED"; Mod: "MOD"; Multicasts: "MULTICASTS" "MULTICAST"; My: "MY";
    Nonunique: "NONUNIQUE"; Not: "NOT"; Odd: "ODD"; Of: "OF"; Or: "OR"; Other: "OTHER";
    Otherwise: "OTHERWISE"; Outputs: "OUTPUTS" "OUTPUT"; Pages: "PAGES" "PAGE";
    Percentile: "PERCENTILE"; Plus: "PLUS"; Processors: "PROCESSOR" "PROCESSORS";
    Quadwords: "QUADWORDS" "QUADWORD"; Random: "RANDOM"; Real: "REAL";
    Receives: "RECEIVES" "RECEIVE"; Reduces: "REDUCES" "REDUCE"; Region: "REGION";
    Repetitions: "REPETITIONS" "REPETITION"; Require: "REQUIRE"; Resets: "RESETS" "RESET";
    Restores: "RESTORES" "RESTORE"; Results: "RESULT" "RESULTS"; Seconds: "SECONDS" "SECOND";
    Sends: "SENDS" "SEND"; Sized: "SIZED"; Sleeps: "SLEEPS" "SLEEP"; Standard: "STANDARD";
    StaticFileData: "STATIC_FILE_DATA"; Stores: "STORES" "STORE"; Stride: "STRIDE"; Such: "SUCH";
    Sum: "SUM"; Synchronization: "SYNCHRONIZATION"; Synchronizes: "SYNCHRONIZES" "SYNCHRONIZE";
    Synchronously: "SYNCHRONOUSLY"; Tag: "TAG"; Tasks: "TASK" "TASKS"; Than: "THAN";
    That: "THAT"; The: "THE"; Their: "ITS" "THEIR"; Them: "THEM" "IT"; Then: "THEN";
    Times: "TIMES" "TIME"; To: "TO"; Touches: "TOUCHES" "TOUCH"; Touching: "TOUCHING";
    Unaligned: "UNALIGNED"; Unique: "UNIQUE"; Unsuspecting: "UNSUSPECTING"; Using: "USING";
    Value: "VALUE"; Variance: "VARIANCE"; Verification: "VERIFICATION"; Version: "VERSION";
    Warmup: "WARMUP"; Where: "WHERE"; While: "WHILE"; Who: "WHO"; With: "WITH";
    Without: "WITHOUT"; Words: "WORDS" "WORD"; Xor: "XOR";
}

/// The token of a keyword (for BITS, which is a function too, the unit), or `None` if the word is none. Case does not matter.
pub(super) fn keyword(word: &str) -> Option<TokenKind> {
    let spelled = Word::SPELLINGS.iter().find(|(spelling, _)| word.eq_ignore_ascii_case(spelling));
    if let Some((_, word)) = spelled {
        return Some(TokenKind::Word(*word));
    }
    let function = Function::ALL.iter().find(|function| word.eq_ignore_ascii_case(function.name()));
    function.map(|&function| TokenKind::Function(function))
}

/// True if no variable can have this name. Case does not matter.
pub fn is_keyword(word: &str) -> bool {
    keyword(word).is_some()
}

/// All spellings of all keywords, in upper case or, for functions, in lower case.
pub(super) fn spellings() -> impl Iterator<Item = &'static str> {
    // BITS is a unit and a function; the word is among the others.
    let functions = Function::ALL.iter().filter(|&&function| function != Function::Bits);
    let functions = functions.map(|function| function.name());
    Word::SPELLINGS.iter().map(|(spelling, _)| *spelling).chain(functions)
}

macro_rules! symbols {
    ($($symbol:ident: $text:literal;)+) => {
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(super) enum Symbol { $($symbol,)+ }

        impl Symbol {
            /// The symbols that the lexer finds by their characters, the longest first.
            pub(super) const ALL: &[Symbol] = &[$(Symbol::$symbol,)+];

            pub(super) fn text(self) -> &'static str {
                match self { $(Symbol::$symbol => $text,)+ }
            }

            /// The symbol for messages.
            pub(super) fn name(self) -> &'static str {
                if self == Symbol::Period {
                    return "a period";
                }
                match self { $(Symbol::$symbol => concat!("`", $text, "`"),)+ }
            }
        }
    };
}

symbols! {
    Dots: "..."; Power: "**"; ShiftLeft: "<<"; ShiftRight: ">>"; LessOrEqual: "<=";
    GreaterOrEqual: ">="; NotEqual: "<>"; LogicalAnd: "/\\"; LogicalOr: "\\/"; Plus: "+";
    Minus: "-"; Star: "*"; Slash: "/"; And: "&"; Or: "|"; Equal: "="; Less: "<"; Greater: ">";
    OpenParen: "("; CloseParen: ")"; OpenBrace: "{"; CloseBrace: "}"; OpenBracket: "[";
    CloseBracket: "]"; Comma: ","; Period: "."; Torus: "* before , or )";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_spelling_occurs_twice() {
        let mut all: Vec<_> = spellings().map(str::to_ascii_lowercase).collect();
        all.sort_unstable();
        let number = all.len();
        all.dedup();
        assert_eq!(all.len(), number);
    }
}
