import { t } from '../../language/language'

/** The name of a proposer or approver; null: a deleted user. */
export const nameOf = ({ id, name }: { readonly id: string | null; readonly name: string | null }): string =>
  name ?? (id === null ? t.revisions.nobody : t.revisions.gone)
