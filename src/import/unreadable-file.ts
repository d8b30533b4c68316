/** A file, or the rest of one from a line on, that cannot be read at all. */
export class UnreadableFile extends Error {}
