import { signal } from '@preact/signals'

/** The result for the name and the address entered with the first password, shown on the next page. */
export const outcome = signal<{ readonly kind: 'allow' | 'lit'; readonly text: string } | null>(null)
