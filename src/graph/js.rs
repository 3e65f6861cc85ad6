//! The `js!` macro: a graph written down as it would be in JavaScript.

use super::{Graph, Value};

/// Makes a [`Graph`](crate::Graph) from a literal that reads like JavaScript.
///
/// | form | value |
/// | --- | --- |
/// | `undefined`, `null`, `true`, `NaN`, `Infinity`, `-1.5`, `"text"` | primitives |
/// | `[1, "two"]`, `{ a: 1, "b c": 2, [expr]: 3 }` | array, plain object; a key in brackets is any [`PropertyKey`](crate::PropertyKey) expression |
/// | `Set[1, 2]`, `Map{ "k" => 1, [2] => {} }` | Set, Map |
/// | `Date(1.7e12)`, `RegExp("[a-z]+", "gi")` | Date, RegExp |
/// | `BigInt(10)`, `Symbol("described")`, `Symbol()`, `Object(1)` | BigInt (of a Rust integer or a `num_bigint::BigInt`), Symbol, wrapper |
/// | `Float64Array[1.0, 2.5]`, … | a typed array; all kinds but Uint8Clamped and Float16 |
/// | `Error{ message: "m" }`, `TypeError{ … }`, … | an error with these properties |
/// | `User{ name: "Ada" }` | an instance of class `User`, version 0 |
/// | any other expression | a Rust number, `bool`, `&str`, `String`, or a `&Graph` that is copied in |
///
/// # Panics
///
/// Where a RegExp's flags or pattern are not valid, or a wrapper is put around what has none.
///
/// # Examples
///
/// ```
/// use marshal::js;
///
/// let name = "Ada";
/// let state = js!({
///     user: name,
///     seen: Set["a", "b"],
///     at: Date(1.7e12),
///     re: RegExp("[a-z]+", "gi"),
///     xs: Float64Array[1.0, 2.5],
///     counts: Map{ "a" => 1, [2] => undefined },
/// });
/// assert_eq!(
///     state.to_string(),
///     r#"{user: "Ada", seen: Set["a", "b"], at: Date(1700000000000), re: /[a-z]+/gi, xs: Float64Array[1, 2.5], counts: Map{"a" => 1, [2] => undefined}}"#
/// );
/// ```
#[macro_export]
macro_rules! js {
    // Values, one form a rule.
    (@value $g:ident undefined) => { $crate::Value::UNDEFINED };
    (@value $g:ident null) => { $crate::Value::NULL };
    (@value $g:ident true) => { $crate::Value::TRUE };
    (@value $g:ident false) => { $crate::Value::FALSE };
    (@value $g:ident NaN) => { $crate::Value::number(f64::NAN) };
    (@value $g:ident Infinity) => { $crate::Value::number(f64::INFINITY) };
    (@value $g:ident -Infinity) => { $crate::Value::number(f64::NEG_INFINITY) };
    (@value $g:ident [$($items:tt)*]) => {{
        let items = $crate::js!(@list $g [$($items)*]);
        $g.array(items)
    }};
    (@value $g:ident {$($entries:tt)*}) => {{
        let properties = $crate::js!(@properties $g [] $($entries)*);
        $g.object(properties)
    }};
    (@value $g:ident Set[$($items:tt)*]) => {{
        let items = $crate::js!(@list $g [$($items)*]);
        $g.set_of(items)
    }};
    (@value $g:ident Map{$($entries:tt)*}) => {{
        let entries = $crate::js!(@entries $g [] [] $($entries)*);
        $g.map(entries)
    }};
    (@value $g:ident Date($ms:expr)) => { $g.date(f64::from($ms)) };
    (@value $g:ident RegExp($pattern:expr)) => { $crate::js!(@value $g RegExp($pattern, "")) };
    (@value $g:ident RegExp($pattern:expr, $flags:expr)) => {
        $g.regexp($pattern, $flags, 0).expect("a valid RegExp")
    };
    (@value $g:ident BigInt($number:expr)) => { $g.bigint($number) };
    (@value $g:ident Symbol()) => { $crate::Value::from($g.symbol()) };
    (@value $g:ident Symbol($description:expr)) => { $crate::Value::from($g.symbol_described($description)) };
    (@value $g:ident Object($($primitive:tt)+)) => {{
        let primitive = $crate::js!(@value $g $($primitive)+);
        $g.boxed(primitive).expect("a primitive that has a wrapper")
    }};
    (@value $g:ident Int8Array[$($n:expr),* $(,)?]) => { $g.typed_array::<i8>(&[$($n),*]) };
    (@value $g:ident Uint8Array[$($n:expr),* $(,)?]) => { $g.typed_array::<u8>(&[$($n),*]) };
    (@value $g:ident Int16Array[$($n:expr),* $(,)?]) => { $g.typed_array::<i16>(&[$($n),*]) };
    (@value $g:ident Uint16Array[$($n:expr),* $(,)?]) => { $g.typed_array::<u16>(&[$($n),*]) };
    (@value $g:ident Int32Array[$($n:expr),* $(,)?]) => { $g.typed_array::<i32>(&[$($n),*]) };
    (@value $g:ident Uint32Array[$($n:expr),* $(,)?]) => { $g.typed_array::<u32>(&[$($n),*]) };
    (@value $g:ident Float32Array[$($n:expr),* $(,)?]) => { $g.typed_array::<f32>(&[$($n),*]) };
    (@value $g:ident Float64Array[$($n:expr),* $(,)?]) => { $g.typed_array::<f64>(&[$($n),*]) };
    (@value $g:ident BigInt64Array[$($n:expr),* $(,)?]) => { $g.typed_array::<i64>(&[$($n),*]) };
    (@value $g:ident BigUint64Array[$($n:expr),* $(,)?]) => { $g.typed_array::<u64>(&[$($n),*]) };
    (@value $g:ident Error{$($p:tt)*}) => { $crate::js!(@error $g Error $($p)*) };
    (@value $g:ident EvalError{$($p:tt)*}) => { $crate::js!(@error $g EvalError $($p)*) };
    (@value $g:ident RangeError{$($p:tt)*}) => { $crate::js!(@error $g RangeError $($p)*) };
    (@value $g:ident ReferenceError{$($p:tt)*}) => { $crate::js!(@error $g ReferenceError $($p)*) };
    (@value $g:ident SyntaxError{$($p:tt)*}) => { $crate::js!(@error $g SyntaxError $($p)*) };
    (@value $g:ident TypeError{$($p:tt)*}) => { $crate::js!(@error $g TypeError $($p)*) };
    (@value $g:ident URIError{$($p:tt)*}) => { $crate::js!(@error $g URIError $($p)*) };
    (@value $g:ident AggregateError{$($p:tt)*}) => { $crate::js!(@error $g AggregateError $($p)*) };
    (@value $g:ident SuppressedError{$($p:tt)*}) => { $crate::js!(@error $g SuppressedError $($p)*) };
    (@value $g:ident $class:ident{$($fields:tt)*}) => {{
        let fields = $crate::js!(@properties $g [] $($fields)*);
        $g.instance(stringify!($class), 0, fields).expect("an identifier is not empty")
    }};
    (@value $g:ident $rust:expr) => { $crate::Interpolate::interpolate($rust, &mut $g) };

    (@error $g:ident $constructor:ident $($properties:tt)*) => {{
        let properties = $crate::js!(@properties $g [] $($properties)*);
        $g.error($crate::ErrorConstructor::$constructor, properties)
    }};

    // Lists: where each item is one token tree there is nothing to munch.
    (@list $g:ident [$($item:tt),* $(,)?]) => {
        ::std::vec::Vec::<$crate::Value>::from([$($crate::js!(@value $g $item)),*])
    };
    (@list $g:ident [$($items:tt)*]) => { $crate::js!(@items $g [] [] $($items)*) };
    (@items $g:ident [$($done:tt)*] []) => { ::std::vec::Vec::<$crate::Value>::from([$($done)*]) };
    (@items $g:ident [$($done:tt)*] [$($item:tt)+]) => {
        $crate::js!(@items $g [$($done)* $crate::js!(@value $g $($item)+),] [])
    };
    (@items $g:ident [$($done:tt)*] [$($item:tt)+] , $($rest:tt)*) => {
        $crate::js!(@items $g [$($done)* $crate::js!(@value $g $($item)+),] [] $($rest)*)
    };
    (@items $g:ident [$($done:tt)*] [$($item:tt)*] $next:tt $($rest:tt)*) => {
        $crate::js!(@items $g [$($done)*] [$($item)* $next] $($rest)*)
    };

    // Properties: a key, a colon, then tokens up to a comma.
    (@properties $g:ident [$($done:tt)*]) => {
        ::std::vec::Vec::<($crate::PropertyKey<'_>, $crate::Value)>::from([$($done)*])
    };
    (@properties $g:ident [$($done:tt)*] [$key:expr] : $($rest:tt)+) => {
        $crate::js!(@property $g [$($done)*] ($key) [] $($rest)+)
    };
    (@properties $g:ident [$($done:tt)*] $key:ident : $($rest:tt)+) => {
        $crate::js!(@property $g [$($done)*] (stringify!($key)) [] $($rest)+)
    };
    (@properties $g:ident [$($done:tt)*] $key:literal : $($rest:tt)+) => {
        $crate::js!(@property $g [$($done)*] ($key) [] $($rest)+)
    };
    (@property $g:ident [$($done:tt)*] $key:tt [$($value:tt)+]) => {
        $crate::js!(@properties $g
            [$($done)* ($crate::PropertyKey::from $key, $crate::js!(@value $g $($value)+)),])
    };
    (@property $g:ident [$($done:tt)*] $key:tt [$($value:tt)+] , $($rest:tt)*) => {
        $crate::js!(@properties $g
            [$($done)* ($crate::PropertyKey::from $key, $crate::js!(@value $g $($value)+)),] $($rest)*)
    };
    (@property $g:ident [$($done:tt)*] $key:tt [$($value:tt)*] $next:tt $($rest:tt)*) => {
        $crate::js!(@property $g [$($done)*] $key [$($value)* $next] $($rest)*)
    };

    // Entries of a Map: tokens up to =>, then tokens up to a comma.
    (@entries $g:ident [$($done:tt)*] []) => {
        ::std::vec::Vec::<($crate::Value, $crate::Value)>::from([$($done)*])
    };
    (@entries $g:ident [$($done:tt)*] [$($key:tt)+] => $($rest:tt)+) => {
        $crate::js!(@entry $g [$($done)*] ($($key)+) [] $($rest)+)
    };
    (@entries $g:ident [$($done:tt)*] [$($key:tt)*] $next:tt $($rest:tt)*) => {
        $crate::js!(@entries $g [$($done)*] [$($key)* $next] $($rest)*)
    };
    (@entry $g:ident [$($done:tt)*] ($($key:tt)+) [$($value:tt)+]) => {
        $crate::js!(@entries $g
            [$($done)* ($crate::js!(@value $g $($key)+), $crate::js!(@value $g $($value)+)),] [])
    };
    (@entry $g:ident [$($done:tt)*] ($($key:tt)+) [$($value:tt)+] , $($rest:tt)*) => {
        $crate::js!(@entries $g
            [$($done)* ($crate::js!(@value $g $($key)+), $crate::js!(@value $g $($value)+)),] [] $($rest)*)
    };
    (@entry $g:ident [$($done:tt)*] $key:tt [$($value:tt)*] $next:tt $($rest:tt)*) => {
        $crate::js!(@entry $g [$($done)*] $key [$($value)* $next] $($rest)*)
    };

    ($($value:tt)+) => {{
        #[allow(unused_mut)]
        let mut graph = $crate::Graph::<'static>::new();
        let root = $crate::js!(@value graph $($value)+);
        graph.set_root(root);
        graph
    }};
}

/// What stands for itself in [`js!`](crate::js).
#[doc(hidden)]
pub trait Interpolate {
    fn interpolate(self, graph: &mut Graph<'_>) -> Value;
}

macro_rules! plain {
    ($($type:ty)*) => {
        $(impl Interpolate for $type {
            fn interpolate(self, _: &mut Graph<'_>) -> Value {
                Value::from(self)
            }
        })*
    };
}

plain!(u8 u16 u32 i8 i16 i32 f32 f64 bool);

impl Interpolate for &str {
    fn interpolate(self, graph: &mut Graph<'_>) -> Value {
        graph.string(self)
    }
}

impl Interpolate for &String {
    fn interpolate(self, graph: &mut Graph<'_>) -> Value {
        graph.string(self)
    }
}

impl Interpolate for String {
    fn interpolate(self, graph: &mut Graph<'_>) -> Value {
        graph.string(&self)
    }
}

impl Interpolate for &Graph<'_> {
    fn interpolate(self, graph: &mut Graph<'_>) -> Value {
        graph.import(self.root())
    }
}
