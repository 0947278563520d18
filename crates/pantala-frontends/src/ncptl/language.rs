//! The language itself: from the text of a program to a checked syntax tree, and back.
//!
//! [`ast`] defines the tree. Every node has a [`Span`](source::Span), and two trees are equal
//! whatever their spans are.

pub mod ast;
pub mod source;
