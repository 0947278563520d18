//! The language of coNCePTuaL programs on generated programs and on random input.

use pantala_ncptl::language::ast::SyntaxTree;
use pantala_ncptl::language::{Source, check, parse, read};
use proptest::collection::vec;
use proptest::prelude::*;

use crate::printer::print;
use crate::programs::{grammatical_programs, valid_programs};

fn parsed(text: &str) -> SyntaxTree {
    let source = Source::new("printed.ncptl", text);
    match parse(&source) {
        Ok((program, _)) => program,
        Err(error) => panic!("{}\n{text}", error.render(&source)),
    }
}

/// Reads any text: a tree that prints and parses again, or errors that can be shown.
fn read_anything(text: &str) {
    let source = Source::new("random.ncptl", text);
    match read(&source) {
        Ok((program, warnings)) => {
            assert_eq!(parsed(&print(&program)), program);
            for warning in warnings {
                assert!(!warning.render(&source).is_empty());
            }
        }
        Err(errors) => {
            assert!(!errors.is_empty());
            for error in errors {
                let line = error.one_line(&source);
                assert!(line.starts_with("random.ncptl:") && !line.contains('\n'), "{line}");
                assert_eq!(error.render(&source).lines().count(), 3);
            }
        }
    }
}

/// Words, numbers and signs of the language.
fn tokens() -> impl Strategy<Value = String> {
    let words = "a all and are as assert assigned asynchronously await be bits but byte completion \
        compute counters data default divides doubleword each even executes backend for from group \
        histogram if in into is it kilobyte less let log mean median message mod multicast my not \
        of other otherwise output plus processor random real receive reduce repetitions reset \
        send sized sleep such sum synchronize tag task than that the then to touch unsuspecting \
        using value verification warmup while who with x t num_tasks min mesh_neighbor \
        file_data random_uniform 0 1 5th 2K 9E18 \"text\" ( ) { } [ ] , . ... + - * ** / & | << >> \
        = < > <= >= <> /\\ \\/ # \n \" ½";
    let words: Vec<_> = words.split(' ').filter(|word| !word.is_empty()).collect();
    let separator = prop_oneof![9 => Just(" "), 1 => Just("")];
    let word = (prop::sample::select(words), separator).prop_map(|(word, after)| {
        let mut text = word.to_owned();
        text.push_str(after);
        text
    });
    vec(word, 0..60).prop_map(|words| words.concat())
}

/// A text of generated programs with some characters changed.
fn damaged_programs() -> impl Strategy<Value = String> {
    let damage = vec((any::<prop::sample::Index>(), any::<u8>()), 1..4);
    (grammatical_programs(), damage).prop_map(|(program, damage)| {
        let mut text = print(&program).into_bytes();
        for (at, byte) in damage {
            let at = at.index(text.len());
            if byte < 85 {
                text.remove(at);
            } else {
                text.insert(at, byte & 0x7F);
            }
        }
        String::from_utf8_lossy(&text).into_owned()
    })
}

proptest! {
    #![proptest_config(pantala_testing::cases(5_000))]

    #[test]
    fn printing_and_parsing_give_the_same_program(program in grammatical_programs()) {
        let text = print(&program);
        prop_assert_eq!(&parsed(&text), &program, "{}", text);
        prop_assert_eq!(print(&parsed(&text)), text);
    }

    #[test]
    fn valid_programs_pass_the_check(program in valid_programs()) {
        let text = print(&program);
        let parsed = parsed(&text);
        prop_assert_eq!(&parsed, &program, "{}", text);
        let errors = check(&parsed).errors;
        let source = Source::new("valid.ncptl", text.clone());
        let errors: Vec<_> = errors.iter().map(|error| error.render(&source)).collect();
        prop_assert!(errors.is_empty(), "{}\n{}", errors.join("\n"), text);
    }

    #[test]
    fn damaged_programs_give_errors_or_programs(text in damaged_programs()) {
        read_anything(&text);
    }
}

proptest! {
    #![proptest_config(pantala_testing::cases(50_000))]

    #[test]
    fn random_tokens_give_errors_or_programs(text in tokens()) {
        read_anything(&text);
    }

    #[test]
    fn random_bytes_give_errors_or_programs(bytes in vec(any::<u8>(), 0..80)) {
        read_anything(&String::from_utf8_lossy(&bytes));
    }
}
