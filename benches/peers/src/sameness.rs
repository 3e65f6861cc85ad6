//! Whether what a library gave back is the source: compared as JavaScript would, so 1 and 1.0 are one
//! number, and the order of an object's keys does not matter. Knows no library.

use anyhow::{Result, bail, ensure};
use serde_json::Value;

use crate::input::Objects;

/// Fails with the path of the first difference.
pub fn ensure_same(expected: &Value, actual: &Value) -> Result<()> {
    compare(expected, actual, &mut String::from("$"))
}

/// Fails with the first object that is another, lacks something or points elsewhere.
pub fn ensure_same_objects(expected: &Objects, actual: &Objects) -> Result<()> {
    let (count, found) = (expected.len(), actual.len());
    ensure!(count == found, "{count} objects became {found}");
    for (index, (left, right)) in expected.iter().zip(actual).enumerate() {
        ensure!(left == right, "object {index}: {left:?} became {right:?}");
    }
    Ok(())
}

fn compare(expected: &Value, actual: &Value, path: &mut String) -> Result<()> {
    let len = path.len();
    match (expected, actual) {
        (Value::Array(left), Value::Array(right)) => {
            ensure!(left.len() == right.len(), "{path}: {} elements became {}", left.len(), right.len());
            for (index, (left, right)) in left.iter().zip(right).enumerate() {
                path.push_str(&format!("[{index}]"));
                compare(left, right, path)?;
                path.truncate(len);
            }
        }
        (Value::Object(left), Value::Object(right)) => {
            ensure!(left.len() == right.len(), "{path}: {} keys became {}", left.len(), right.len());
            for (key, left) in left {
                path.push('.');
                path.push_str(key);
                let Some(right) = right.get(key) else { bail!("{path} is gone") };
                compare(left, right, path)?;
                path.truncate(len);
            }
        }
        (Value::Number(left), Value::Number(right)) => {
            ensure!(left.as_f64() == right.as_f64(), "{path}: {left} became {right}");
        }
        _ => ensure!(expected == actual, "{path}: {expected} became {actual}"),
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::ensure_same;

    #[test]
    fn a_number_may_change_its_form_but_not_its_value() {
        assert!(ensure_same(&json!([1, 2.5]), &json!([1.0, 2.5])).is_ok());
        let error = ensure_same(&json!({"a": [1, 2]}), &json!({"a": [1, 3]})).unwrap_err();
        assert_eq!(error.to_string(), "$.a[1]: 2 became 3");
    }

    #[test]
    fn missing_and_additional_parts_are_seen() {
        assert!(ensure_same(&json!({"a": 1}), &json!({"b": 1})).is_err());
        assert!(ensure_same(&json!([1]), &json!([1, 1])).is_err());
        assert!(ensure_same(&json!(null), &json!(false)).is_err());
    }
}
