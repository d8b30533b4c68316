import { signal } from '@preact/signals'

/** What became of the name and the address that somebody typed with their first password; told on the next page. */
export const outcome = signal<{ readonly kind: 'allow' | 'lit'; readonly text: string } | null>(null)
