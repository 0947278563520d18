//! Tests of the front ends. One binary, one file per behaviour.
