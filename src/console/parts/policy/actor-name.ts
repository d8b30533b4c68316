import { t } from '../../language/language'

/** The name of who made or decided about an edit of the policy; null: a deleted user. */
export const actorName = ({ id, name }: { readonly id: string | null; readonly name: string | null }): string =>
  name ?? (id === null ? t.revisions.nobody : t.revisions.gone)
