//! Notes the compiler's version and the commit for run.json's provenance.

use std::process::Command;

fn output(program: &str, arguments: &[&str]) -> Option<String> {
    let output = Command::new(program).args(arguments).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

fn main() {
    let rustc = std::env::var("RUSTC").unwrap_or_else(|_| "rustc".to_owned());
    let version = output(&rustc, &["--version"]).unwrap_or_else(|| "unknown".to_owned());
    println!("cargo::rustc-env=PANTALA_RUSTC={version}");
    if let Some(commit) = output("git", &["describe", "--always", "--dirty", "--abbrev=12"]) {
        println!("cargo::rustc-env=PANTALA_GIT={commit}");
    }
    // The log of git's head grows with every commit; without git the variable is left out.
    println!("cargo::rerun-if-changed=../../.git/logs/HEAD");
    println!("cargo::rerun-if-changed=build.rs");
}
