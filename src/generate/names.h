// Names to make people of: common ones first. Internal to the generate room.
#pragma once

#include <array>
#include <string_view>

namespace throng {

inline constexpr auto kWomensNames = std::to_array<std::string_view>(
    {"Mary",     "Patricia",  "Jennifer", "Linda",     "Elizabeth",  "Barbara",   "Susan",
     "Jessica",  "Sarah",     "Karen",    "Lisa",      "Nancy",      "Betty",     "Sandra",
     "Margaret", "Ashley",    "Kimberly", "Emily",     "Donna",      "Michelle",  "Carol",
     "Amanda",   "Melissa",   "Deborah",  "Stephanie", "Rebecca",    "Sharon",    "Laura",
     "Cynthia",  "Dorothy",   "Amy",      "Kathleen",  "Angela",     "Shirley",   "Emma",
     "Brenda",   "Pamela",    "Nicole",   "Anna",      "Samantha",   "Katherine", "Christine",
     "Debra",    "Rachel",    "Carolyn",  "Janet",     "Maria",      "Olivia",    "Heather",
     "Helen",    "Catherine", "Diane",    "Julie",     "Victoria",   "Joyce",     "Lauren",
     "Kelly",    "Christina", "Ruth",     "Joan",      "Virginia",   "Judith",    "Evelyn",
     "Hannah",   "Andrea",    "Megan",    "Cheryl",    "Jacqueline", "Madison",   "Teresa",
     "Abigail",  "Sophia",    "Martha",   "Sara",      "Gloria",     "Janice",    "Kathryn",
     "Ann",      "Isabella",  "Judy",     "Charlotte", "Julia",      "Grace",     "Amber",
     "Alice",    "Jean",      "Denise",   "Frances",   "Danielle",   "Marilyn",   "Natalie",
     "Beverly",  "Diana",     "Brittany", "Theresa",   "Kayla",      "Alexis",    "Doris",
     "Lori",     "Tiffany",   "Rosa",     "Ines",      "Mei",        "Priya",     "Fatima",
     "Yuki",     "Leila",     "Ngoc",     "Aisha",     "Elena",      "Ingrid",    "Noor",
     "Carmen",   "Ana",       "Lucia",    "Hana",      "Zofia",      "Amara",     "Renata",
     "Odette"});

inline constexpr auto kMensNames = std::to_array<std::string_view>(
    {"James",   "Robert",    "John",        "Michael", "David",    "William",  "Richard",
     "Joseph",  "Thomas",    "Christopher", "Charles", "Daniel",   "Matthew",  "Anthony",
     "Mark",    "Donald",    "Steven",      "Andrew",  "Paul",     "Joshua",   "Kenneth",
     "Kevin",   "Brian",     "George",      "Timothy", "Ronald",   "Jason",    "Edward",
     "Jeffrey", "Ryan",      "Jacob",       "Gary",    "Nicholas", "Eric",     "Jonathan",
     "Stephen", "Larry",     "Justin",      "Scott",   "Brandon",  "Benjamin", "Samuel",
     "Gregory", "Alexander", "Patrick",     "Frank",   "Raymond",  "Jack",     "Dennis",
     "Jerry",   "Tyler",     "Aaron",       "Jose",    "Adam",     "Nathan",   "Henry",
     "Zachary", "Douglas",   "Peter",       "Kyle",    "Noah",     "Ethan",    "Jeremy",
     "Walter",  "Christian", "Keith",       "Roger",   "Terry",    "Austin",   "Sean",
     "Gerald",  "Carl",      "Harold",      "Dylan",   "Arthur",   "Lawrence", "Jordan",
     "Jesse",   "Bryan",     "Billy",       "Bruce",   "Gabriel",  "Joe",      "Logan",
     "Alan",    "Juan",      "Albert",      "Willie",  "Elijah",   "Wayne",    "Randy",
     "Vincent", "Mason",     "Roy",         "Ralph",   "Bobby",    "Russell",  "Bradley",
     "Philip",  "Eugene",    "Luis",        "Wei",     "Ravi",     "Omar",     "Kenji",
     "Minh",    "Tariq",     "Diego",       "Kwame",   "Ivan",     "Lars",     "Mateo",
     "Emeka",   "Andre",     "Piotr",       "Hugo",    "Dmitri",   "Salim",    "Tomas",
     "Felix"});

inline constexpr auto kFamilyNames = std::to_array<std::string_view>(
    {"Smith",      "Johnson",   "Williams",   "Brown",     "Jones",      "Garcia",    "Miller",
     "Davis",      "Rodriguez", "Martinez",   "Hernandez", "Lopez",      "Gonzalez",  "Wilson",
     "Anderson",   "Thomas",    "Taylor",     "Moore",     "Jackson",    "Martin",    "Lee",
     "Perez",      "Thompson",  "White",      "Harris",    "Sanchez",    "Clark",     "Ramirez",
     "Lewis",      "Robinson",  "Walker",     "Young",     "Allen",      "King",      "Wright",
     "Scott",      "Torres",    "Nguyen",     "Hill",      "Flores",     "Green",     "Adams",
     "Nelson",     "Baker",     "Hall",       "Rivera",    "Campbell",   "Mitchell",  "Carter",
     "Roberts",    "Gomez",     "Phillips",   "Evans",     "Turner",     "Diaz",      "Parker",
     "Cruz",       "Edwards",   "Collins",    "Reyes",     "Stewart",    "Morris",    "Morales",
     "Murphy",     "Cook",      "Rogers",     "Gutierrez", "Ortiz",      "Morgan",    "Cooper",
     "Peterson",   "Bailey",    "Reed",       "Kelly",     "Howard",     "Ramos",     "Kim",
     "Cox",        "Ward",      "Richardson", "Watson",    "Brooks",     "Chavez",    "Wood",
     "James",      "Bennett",   "Gray",       "Mendoza",   "Ruiz",       "Hughes",    "Price",
     "Alvarez",    "Castillo",  "Sanders",    "Patel",     "Myers",      "Long",      "Ross",
     "Foster",     "Jimenez",   "Powell",     "Jenkins",   "Perry",      "Russell",   "Sullivan",
     "Bell",       "Coleman",   "Butler",     "Henderson", "Barnes",     "Gonzales",  "Fisher",
     "Vasquez",    "Simmons",   "Romero",     "Jordan",    "Patterson",  "Alexander", "Hamilton",
     "Graham",     "Reynolds",  "Griffin",    "Wallace",   "Moreno",     "West",      "Cole",
     "Hayes",      "Bryant",    "Herrera",    "Gibson",    "Ellis",      "Tran",      "Medina",
     "Aguilar",    "Stevens",   "Murray",     "Ford",      "Castro",     "Marshall",  "Owens",
     "Harrison",   "Fernandez", "McDonald",   "Woods",     "Washington", "Kennedy",   "Wells",
     "Vargas",     "Henry",     "Chen",       "Freeman",   "Webb",       "Tucker",    "Guzman",
     "Burns",      "Crawford",  "Olson",      "Simpson",   "Porter",     "Hunter",    "Gordon",
     "Mendez",     "Silva",     "Shaw",       "Snyder",    "Mason",      "Dixon",     "Munoz",
     "Hunt",       "Hicks",     "Holmes",     "Palmer",    "Wagner",     "Black",     "Robertson",
     "Boyd",       "Rose",      "Stone",      "Salazar",   "Fox",        "Warren",    "Mills",
     "Meyer",      "Rice",      "Schmidt",    "Garza",     "Daniels",    "Ferguson",  "Nichols",
     "Stephens",   "Soto",      "Weaver",     "Ryan",      "Gardner",    "Payne",     "Grant",
     "Dunn",       "Kelley",    "Spencer",    "Hawkins",   "Arnold",     "Pierce",    "Vazquez",
     "Hansen",     "Peters",    "Santos",     "Hart",      "Bradley",    "Knight",    "Elliott",
     "Cunningham", "Duncan",    "Armstrong",  "Hudson",    "Carroll",    "Lane",      "Riley",
     "Andrews",    "Alvarado",  "Ray",        "Delgado",   "Berry",      "Perkins",   "Hoffman",
     "Johnston",   "Matthews",  "Pena",       "Richards",  "Contreras",  "Willis",    "Carpenter",
     "Lawrence",   "Sandoval",  "Okafor",     "Singh",     "Kowalski",   "Tanaka",    "Haddad",
     "Lindqvist",  "Ivanova"});

}  // namespace throng
