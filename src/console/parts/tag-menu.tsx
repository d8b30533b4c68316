import { api } from '../api'
import { number } from '../language/format'
import { t } from '../language/language'
import { Choice } from './field'
import { useLoaded } from './loaded'
import { Menu } from './menu'

interface TagChoice {
  readonly chosen: readonly string[]
  readonly onChoose: (tags: readonly string[]) => void
}

/** Filters by tags: links with all of the chosen ones. */
export const TagMenu = ({ chosen, onChoose }: TagChoice) => (
  <Menu
    start
    icon="tag"
    label={t.links.tag}
    text={`${t.links.tag}: ${chosen.length === 0 ? t.links.anyTag : chosen.join(', ')}`}
  >
    <TagList chosen={chosen} onChoose={onChoose} />
  </Menu>
)

const TagList = ({ chosen, onChoose }: TagChoice) => {
  const { value, busy } = useLoaded((signal) => api.listTags({ signal }), [])
  const tags = value?.data ?? []
  if (tags.length === 0) return <p class="hint">{busy ? t.loading : t.none}</p>
  return (
    <>
      {tags.map(({ tag, links }) => (
        <Choice
          key={tag}
          label={`${tag} (${number(links)})`}
          checked={chosen.includes(tag)}
          onChange={(is) => onChoose(is ? [...chosen, tag] : chosen.filter((other) => other !== tag))}
        />
      ))}
    </>
  )
}
