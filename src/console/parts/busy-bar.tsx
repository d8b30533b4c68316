import { t } from '../language/language'

export const BusyBar = ({ label = t.loading }: { readonly label?: string }) => (
  <div class="busy-bar" role="progressbar" aria-label={label} />
)
