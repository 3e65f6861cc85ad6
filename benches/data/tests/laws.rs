//! What the benches rely on: the sizes that `README` tables quote, the same data every time, and values
//! that every library can give back exactly.

use marshal_bench_data::{Dataset, graph, json, log, mesh, records, save, small, text, updates};
use serde_json::Value;

#[test]
fn sizes_as_json_are_the_stated_ones() {
    let ranges = [
        (Dataset::Records, 610_000..645_000),
        (Dataset::Log, 1_780_000..1_880_000),
        (Dataset::Mesh, 25_500_000..26_500_000),
        (Dataset::Save, 1_550_000..1_650_000),
        (Dataset::Updates, 9_200_000..9_600_000),
        (Dataset::Numbers, 5_000_000..6_000_000),
        (Dataset::Text, 1_800_000..2_800_000),
        (Dataset::Graph, 9_000_000..15_000_000),
        (Dataset::Small, 150..250),
    ];
    assert_eq!(ranges.len(), Dataset::ALL.len());
    for (dataset, range) in ranges {
        let len = json(dataset, 1).to_string().len();
        assert!(range.contains(&len), "{dataset}: {len} bytes, not in {range:?}");
    }
}

#[test]
fn counts_are_the_stated_ones() {
    assert_eq!(records::generate(1).len(), 603);
    assert_eq!(log::generate(1).len(), 10_000);
    assert_eq!(mesh::generate(1).len(), 125_000);
    assert_eq!(save::generate(1).len(), 500);
    assert_eq!(json(Dataset::Numbers, 1).as_array().unwrap().len(), 500_000);
    assert_eq!(graph::generate(1).objects.len(), 100_000);
    assert_eq!(json(Dataset::Records, 1)[0].as_object().unwrap().len(), 20);
    assert_eq!(json(Dataset::Save, 1)[0].as_object().unwrap().len(), 28);
    assert_eq!(json(Dataset::Small, 1).as_object().unwrap().len(), 10);
    let updates = updates::generate(1);
    assert_eq!(updates.len(), 1000);
    assert!(updates.iter().all(|update| (20..40).contains(&update.contacts.len())));
}

#[test]
fn the_same_data_every_time_and_more_of_it_at_a_larger_scale() {
    assert_eq!(records::generate(1), records::generate(1));
    assert_eq!(records::generate(3)[..603], records::generate(1)[..]);
    assert_eq!(save::generate(2)[..500], save::generate(1)[..]);
    assert_eq!(text::generate(10).len(), 2000);
}

#[test]
fn half_of_the_text_is_not_ascii() {
    let text = text::generate(1);
    let ascii = text.iter().filter(|string| string.is_ascii()).count();
    assert_eq!(ascii * 2, text.len());
}

#[test]
fn numbers_are_exact_everywhere() {
    for dataset in Dataset::ALL {
        each_number(&json(dataset, 1), &mut |number| match number.as_i64() {
            Some(integer) => assert!(integer.unsigned_abs() < 1 << 53, "{dataset}: {integer}"),
            None => {
                let float = number.as_f64().unwrap();
                assert_eq!(float * 8192.0, (float * 8192.0).trunc(), "{dataset}: {float}");
            }
        });
    }
}

#[test]
fn typed_values_survive_json() {
    fn check<T>(data: &T)
    where
        T: serde::Serialize + serde::de::DeserializeOwned + PartialEq + std::fmt::Debug,
    {
        let text = serde_json::to_string(data).unwrap();
        assert_eq!(&serde_json::from_str::<T>(&text).unwrap(), data);
    }
    check(&records::generate(1));
    check(&log::generate(1));
    check(&mesh::generate(1)[..1000].to_vec());
    check(&save::generate(1));
    check(&updates::generate(1)[..100].to_vec());
    check(&text::generate(1));
    check(&graph::generate(1));
    check(&small::generate());
}

#[test]
fn the_graph_has_shared_references_and_cycles_and_no_long_path() {
    let graph = graph::generate(1);
    let mut targets = vec![0_u32; graph.objects.len()];
    for (index, object) in graph.objects.iter().enumerate() {
        let class = &graph.classes[object.class];
        assert_eq!(object.fields.len(), class.fields.len());
        assert_eq!(object.edges.len(), class.edges.len());
        assert!(object.edges[0] <= index);
        assert!(object.edges[1].abs_diff(index) < 16);
        assert!(object.links.iter().all(|&link| link <= index));
        for &target in object.edges.iter().chain(&object.links) {
            targets[target] += 1;
        }
    }
    assert!(targets.iter().filter(|&&count| count > 1).count() > 40_000);
    assert!(targets.iter().any(|&count| count > 500));
}

#[test]
fn a_name_that_is_none_says_which_there_are() {
    for dataset in Dataset::ALL {
        assert_eq!(dataset.name().parse(), Ok(dataset));
    }
    let error = "meshes".parse::<Dataset>().unwrap_err().to_string();
    assert!(error.contains("meshes") && error.contains("records, log, mesh"), "{error}");
}

fn each_number(value: &Value, see: &mut impl FnMut(&serde_json::Number)) {
    match value {
        Value::Number(number) => see(number),
        Value::Array(items) => items.iter().for_each(|item| each_number(item, see)),
        Value::Object(fields) => fields.values().for_each(|field| each_number(field, see)),
        Value::Null | Value::Bool(_) | Value::String(_) => {}
    }
}
