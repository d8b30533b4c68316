/** A URL as people read it, without the common prefix. */
export const shortened = (url: string): string => url.replace(/^https?:\/\/(?:www\.)?/, '').replace(/\/$/, '')
