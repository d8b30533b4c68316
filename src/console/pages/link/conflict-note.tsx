import type { ManagedLink } from '../../api'
import { t } from '../../language/language'
import { Note } from '../../parts/note'
import type { ConflictRow, Settings } from './changed-fields'
import { settingName, settingWords } from './setting-words'

/** Two concurrent edits, setting by setting: the saved one, and the typed one. */
export const ConflictNote = ({
  rows,
  mine,
  theirs,
}: {
  readonly rows: readonly ConflictRow[]
  readonly mine: ManagedLink
  readonly theirs: ManagedLink
}) => (
  <Note kind="lit" title={t.link.edit.conflict}>
    <div class="table-wrap">
      <table class="table">
        <thead>
          <tr>
            <th scope="col">{t.link.edit.setting}</th>
            <th scope="col">{t.link.edit.theirs}</th>
            <th scope="col">{t.link.edit.mine}</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.name}>
              <th scope="row">{settingName(row.name)}</th>
              <td>{row.theirs ? settingWords(row.name, theirs) : t.link.edit.untouched}</td>
              <td>{row.mine ? mineWords(row.name, mine) : t.link.edit.untouched}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
    {mine.owner_id !== theirs.owner_id && <p>{t.link.edit.given}</p>}
    <p>{t.link.edit.overwrite}</p>
  </Note>
)

/** A password is not shown, but is listed if it was changed. */
const mineWords = (name: ConflictRow['name'], mine: Settings): string =>
  name === 'has_password' ? t.link.edit.passwordTyped : settingWords(name, mine)
