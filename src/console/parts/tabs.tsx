/** Links to related pages, one of which is the current one. */
export const Tabs = ({
  label,
  tabs,
}: {
  readonly label: string
  readonly tabs: readonly { readonly href: string; readonly name: string; readonly isHere: boolean }[]
}) => (
  <nav class="tabs" aria-label={label}>
    {tabs.map(({ href, name, isHere }) => (
      <a key={href} href={href} aria-current={isHere ? 'page' : undefined}>
        {name}
      </a>
    ))}
  </nav>
)
