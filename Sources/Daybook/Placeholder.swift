// Daybook
