import { api } from '../../api'
import { t } from '../../language/language'
import { Badges } from '../../parts/badges'
import { Card } from '../../parts/card'
import { Listed, usePages } from '../../parts/pages'
import { shortened } from '../../parts/shortened'

/** The links of a user, as far as the caller may change them. */
export const UserLinksCard = ({ id, isSelf }: { readonly id: string; readonly isSelf: boolean }) => {
  const list = usePages(
    (from, options) => api.listLinks({ owner_id: id, limit: 10, count: true, ...from }, options).page(),
    [id],
  )
  const { items } = list.state.value
  return (
    <Card title={isSelf ? t.users.links.titleSelf : t.users.links.title}>
      <Listed
        list={list}
        isLast={false}
        empty={<p>{isSelf ? t.links.noneYet : t.users.links.none}</p>}
        words={t.links.shown}
      >
        <ul class="items body">
          {items.map((link) => (
            <li key={link.id}>
              <div>
                <a href={`/console/links/${link.code}`}>
                  <strong>{link.code}</strong>
                </a>{' '}
                <span class="caption">{t.users.links.visits(link.visits.total)}</span>
                <div class="caption cut" title={link.target}>
                  {shortened(link.target)}
                </div>
              </div>
              <Badges link={link} />
            </li>
          ))}
        </ul>
      </Listed>
    </Card>
  )
}
