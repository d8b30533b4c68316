/** The dot beside words that say whether news arrives; `.live` gives it its colour. */
export const LiveDot = () => (
  <svg width="8" height="8" aria-hidden="true">
    <circle cx="4" cy="4" r="3" />
  </svg>
)
