use marshal::class_trait;

#[class_trait]
trait Generic<T> {
    fn get(&self) -> T;
}

#[class_trait]
trait Animal {
    fn says(&self) -> String;
}

struct Dog;

impl Animal for Dog {
    fn says(&self) -> String {
        String::new()
    }
}

fn main() {}
