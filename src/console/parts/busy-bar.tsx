import { t } from '../language/language'

/** Shown while something is loading. */
export const BusyBar = ({ label = t.loading }: { readonly label?: string }) => (
  <div class="busy-bar" role="progressbar" aria-label={label} />
)
