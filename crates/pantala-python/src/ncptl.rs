//! coNCePTuaL programs without a network: their errors, options and MPI calls.

use pantala_ncptl::NcptlSpec;
use pantala_ncptl::explain::explain;
use pantala_ncptl::language::{Diagnostic, Source, check, read};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use serde_json::json;

/// Returns errors, warnings, options and data files of a program as JSON, and those of the warnings
/// that can matter for a run (`serious`). A message shows the line and marks the place.
#[pyfunction]
pub(crate) fn ncptl_check(py: Python<'_>, file: &str, source: &str) -> String {
    let checked = py.detach(|| {
        let (text, source) = (source, Source::new(file, source));
        let rendered = |found: &[Diagnostic]| {
            found.iter().map(|each| each.render(&source)).collect::<Vec<String>>()
        };
        match read(&source) {
            Ok((program, warnings)) => {
                let options = program.options.iter().map(|option| {
                    let span = option.default.span;
                    let default = text.get(span.start as usize..span.end as usize);
                    json!({
                        "default": default,
                        "name": option.name.text,
                        "description": option.description.value,
                        "long": option.long.value,
                        "short": option.short.value,
                    })
                });
                let options: Vec<_> = options.collect();
                let all = rendered(&warnings);
                let serious: Vec<_> = warnings.into_iter().filter(|each| !each.harmless).collect();
                json!({
                    "errors": [],
                    "warnings": all,
                    "serious": rendered(&serious),
                    "options": options,
                    "files": check(&program).files,
                })
            }
            Err(errors) => {
                let errors = rendered(&errors);
                json!({"errors": errors, "warnings": [], "serious": [], "options": [], "files": []})
            }
        }
    });
    checked.to_string()
}

/// Returns the MPI calls of a program on a number of ranks as JSON, or its fault.
#[pyfunction]
pub(crate) fn ncptl_explain(py: Python<'_>, spec_json: &str, ranks: u32) -> PyResult<String> {
    let spec: NcptlSpec =
        serde_json::from_str(spec_json).map_err(|e| PyValueError::new_err(e.to_string()))?;
    let explained = py.detach(|| match explain(&spec, ranks) {
        Ok(explanation) => serde_json::to_value(explanation),
        Err(fault) => Ok(json!({
            "fault": {
                "key": fault.key,
                "value": fault.value,
                "message": fault.message,
                "remedy": fault.remedy,
            }
        })),
    });
    Ok(explained.map_err(|e| PyValueError::new_err(e.to_string()))?.to_string())
}
