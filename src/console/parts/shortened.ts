/** An address as people read it: without what all of them begin with. */
export const shortened = (url: string): string => url.replace(/^https?:\/\/(?:www\.)?/, '').replace(/\/$/, '')
