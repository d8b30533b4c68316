import { api } from '../api'
import { number } from '../language/format'
import { t } from '../language/language'
import { Choice } from './field'
import { useLoaded } from './loaded'
import { Menu } from './menu'
import { WhenLoaded } from './when-loaded'

/** Filters by tags: links with all of the chosen ones. */
export const TagMenu = ({
  chosen,
  onChoose,
}: {
  readonly chosen: readonly string[]
  readonly onChoose: (tags: readonly string[]) => void
}) => {
  const loaded = useLoaded((signal) => api.listTags({ signal }), [])
  return (
    <Menu
      start
      icon="tag"
      label={t.links.tag}
      // a link that was made meanwhile may have new ones
      onOpen={loaded.again}
      text={`${t.links.tag}: ${chosen.length === 0 ? t.links.anyTag : chosen.join(', ')}`}
    >
      <WhenLoaded of={loaded}>
        {({ data: tags }) =>
          tags.length === 0 ? (
            <p class="hint">{t.none}</p>
          ) : (
            tags.map(({ tag, links }) => (
              <Choice
                key={tag}
                label={`${tag} (${number(links)})`}
                checked={chosen.includes(tag)}
                onChange={(is) => onChoose(is ? [...chosen, tag] : chosen.filter((other) => other !== tag))}
              />
            ))
          )
        }
      </WhenLoaded>
    </Menu>
  )
}
