import { t } from '../../language/language'

/** Who proposed or decided; null: a user who is gone. */
export const nameOf = ({ id, name }: { readonly id: string | null; readonly name: string | null }): string =>
  name ?? (id === null ? t.revisions.nobody : t.revisions.gone)
