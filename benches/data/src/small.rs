//! `small`: one record of 10 fields, to measure what a call costs however little it carries.

use serde::{Deserialize, Serialize};

/// The record; the same one every time.
pub fn generate() -> Account {
    Account {
        id: 48_213,
        name: "Ada Lovelace".to_owned(),
        email: "ada@engine.example".to_owned(),
        active: true,
        role: Role::Editor,
        age: 36,
        balance: 1203.75,
        joined: "2026-03-14T09:26:53Z".to_owned(),
        note: None,
        flags: 5,
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schemas", derive(wincode::SchemaWrite, wincode::SchemaRead, bitcode::Encode, bitcode::Decode))]
#[cfg_attr(feature = "schemas", derive(rkyv::Archive, rkyv::Serialize, rkyv::Deserialize, fory::ForyStruct))]
#[cfg_attr(feature = "schemas", derive(zerompk::ToMessagePack, zerompk::FromMessagePack))]
pub struct Account {
    pub id: u32,
    pub name: String,
    pub email: String,
    pub active: bool,
    pub role: Role,
    pub age: u8,
    pub balance: f64,
    pub joined: String,
    pub note: Option<String>,
    pub flags: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schemas", derive(wincode::SchemaWrite, wincode::SchemaRead, bitcode::Encode, bitcode::Decode))]
#[cfg_attr(feature = "schemas", derive(rkyv::Archive, rkyv::Serialize, rkyv::Deserialize, fory::ForyEnum))]
#[cfg_attr(feature = "schemas", derive(zerompk::ToMessagePack, zerompk::FromMessagePack))]
pub enum Role {
    #[cfg_attr(feature = "schemas", fory(default))]
    Reader,
    Editor,
    Owner,
}
