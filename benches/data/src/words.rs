//! The words that text is made of, and sentences of them.

use crate::random::Random;

#[rustfmt::skip]
pub const LATIN: [&str; 63] = [
    "ad", "adipisicing", "aliqua", "aliquip", "amet", "anim", "aute", "cillum", "commodo",
    "consectetur", "consequat", "culpa", "cupidatat", "deserunt", "do", "dolor", "dolore", "duis",
    "ea", "eiusmod", "elit", "enim", "esse", "est", "et", "eu", "ex", "excepteur", "exercitation",
    "fugiat", "id", "in", "incididunt", "ipsum", "irure", "labore", "laboris", "laborum", "lorem",
    "magna", "minim", "mollit", "nisi", "non", "nostrud", "nulla", "occaecat", "officia",
    "pariatur", "proident", "qui", "quis", "reprehenderit", "sint", "sit", "sunt", "tempor",
    "ullamco", "ut", "velit", "veniam", "voluptate", "sed",
];

#[rustfmt::skip]
pub const FIRST_NAMES: [&str; 48] = [
    "Ada", "Agnes", "Alan", "Amara", "Barbara", "Beatriz", "Blaise", "Caroline", "Chen", "Clara",
    "Dennis", "Dorothy", "Edsger", "Elena", "Emmy", "Farid", "Frances", "Grace", "Hedy",
    "Henrietta", "Imani", "Ingrid", "Jean", "Joan", "Kamala", "Katherine", "Kwame", "Leonhard",
    "Lin", "Margaret", "Mary", "Meghan", "Mei", "Niklaus", "Noor", "Olga", "Pavel", "Priya",
    "Radia", "Rosalind", "Sofia", "Sunita", "Tamar", "Tim", "Ursula", "Vera", "Wangari", "Yuki",
];

#[rustfmt::skip]
pub const LAST_NAMES: [&str; 48] = [
    "Abara", "Allen", "Bartik", "Borg", "Burt", "Castro", "Curie", "Dijkstra", "Edwards", "Eriksen",
    "Faraday", "Ferreira", "Ford", "Franklin", "Germain", "Hamilton", "Hopper", "Ito", "Johnson",
    "Kaur", "Keller", "Kowalski", "Lamarr", "Liskov", "Lovelace", "Maathai", "Mensah", "Mirzakhani",
    "Moreau", "Nakamura", "Nichols", "Noether", "Okafor", "Oliver", "Pascal", "Perlman", "Quist",
    "Rios", "Ritchie", "Rojas", "Sharma", "Sorensen", "Turing", "Vargas", "Vaughan", "Wirth",
    "Workman", "Zhang",
];

#[rustfmt::skip]
pub const PLACES: [&str; 32] = [
    "Aldertown", "Ashby", "Bellmere", "Birchwood", "Brookfield", "Cedarville", "Clearwater",
    "Dunmore", "Eastgate", "Elmhurst", "Fairhaven", "Fernley", "Glenrock", "Greenport", "Hazelton",
    "Hillsboro", "Ironside", "Kingsford", "Lakewood", "Maplehurst", "Marlow", "Northfield",
    "Oakridge", "Pinehurst", "Quarry Bay", "Riverton", "Southwick", "Stonebridge", "Thornbury",
    "Westbrook", "Willow Creek", "Windermere",
];

#[rustfmt::skip]
pub const REGIONS: [&str; 20] = [
    "Alberta", "Bavaria", "Brittany", "Catalonia", "Cornwall", "District Of Columbia", "Jutland",
    "Lombardy", "Minnesota", "New Brunswick", "North Dakota", "Nova Scotia", "Ontario", "Patagonia",
    "Queensland", "South Australia", "Tasmania", "Transylvania", "Vermont", "Wisconsin",
];

/// Words of scripts that take two bytes a letter in UTF-8 (one or two in Latin text with marks).
#[rustfmt::skip]
pub const TWO_BYTES: [&str; 24] = [
    "été", "naïve", "façade", "übermäßig", "Straße", "señor", "jalapeño", "smörgåsbord", "żółć",
    "příliš", "žluťoučký", "привет", "мир", "данные", "скорость", "память", "каждый", "λόγος",
    "γλώσσα", "ταχύτητα", "μνήμη", "שלום", "سرعة", "ذاكرة",
];

/// Words of scripts that take three bytes a character.
#[rustfmt::skip]
pub const THREE_BYTES: [&str; 16] = [
    "数据", "速度", "内存", "格式", "ベンチ", "マーク", "テスト", "文字列", "데이터", "속도", "메모리", "문자열", "नमस्ते", "गति",
    "สวัสดี", "€uro",
];

/// Characters beyond the basic plane: a surrogate pair each in UTF-16.
#[rustfmt::skip]
pub const FOUR_BYTES: [&str; 8] = [
    "🚀", "🦀", "🎉", "📦", "𝒳", "𝔾", "👩‍💻", "🇪🇺",
];

/// A sentence of Latin words, about 60 bytes on average.
pub fn sentence(random: &mut Random) -> String {
    let count = random.between(5, 12);
    let mut text = (0..count).map(|_| random.pick(&LATIN)).collect::<Vec<_>>().join(" ");
    text[..1].make_ascii_uppercase();
    text.push('.');
    text
}

/// A person's name.
pub fn name(random: &mut Random) -> String {
    format!("{} {}", random.pick(&FIRST_NAMES), random.pick(&LAST_NAMES))
}

/// A date and time between 2014 and 2026: year, month, day, hour, minute, second.
pub fn moment(random: &mut Random) -> [i64; 6] {
    [(2014, 2026), (1, 12), (1, 28), (0, 23), (0, 59), (0, 59)].map(|(first, last)| random.between(first, last))
}
