//! `mesh`: triangles of a surface. 12 floats each in four small objects, no text: 125,000 triangles,
//! some 26 MB of JSON.

use serde::{Deserialize, Serialize};

use crate::random::Random;

/// 125,000 triangles for each unit of `scale`.
pub fn generate(scale: usize) -> Vec<Triangle> {
    let mut random = Random::named("mesh");
    (0..125_000 * scale)
        .map(|_| Triangle {
            v0: vertex(&mut random),
            v1: vertex(&mut random),
            v2: vertex(&mut random),
            normal: normal(&mut random),
        })
        .collect()
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schemas", derive(wincode::SchemaWrite, wincode::SchemaRead, bitcode::Encode, bitcode::Decode))]
#[cfg_attr(feature = "schemas", derive(rkyv::Archive, rkyv::Serialize, rkyv::Deserialize, fory::ForyStruct))]
#[cfg_attr(feature = "schemas", derive(zerompk::ToMessagePack, zerompk::FromMessagePack))]
pub struct Triangle {
    pub v0: Vector,
    pub v1: Vector,
    pub v2: Vector,
    pub normal: Vector,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schemas", derive(wincode::SchemaWrite, wincode::SchemaRead, bitcode::Encode, bitcode::Decode))]
#[cfg_attr(feature = "schemas", derive(rkyv::Archive, rkyv::Serialize, rkyv::Deserialize, fory::ForyStruct))]
#[cfg_attr(feature = "schemas", derive(zerompk::ToMessagePack, zerompk::FromMessagePack))]
pub struct Vector {
    pub x: f32,
    pub y: f32,
    pub z: f32,
}

fn vertex(random: &mut Random) -> Vector {
    let mut coordinate = || random.fraction32(-100, 100, 6);
    Vector { x: coordinate(), y: coordinate(), z: coordinate() }
}

fn normal(random: &mut Random) -> Vector {
    let mut component = || random.fraction32(-1, 1, 12);
    Vector { x: component(), y: component(), z: component() }
}
