bench nn --size large
