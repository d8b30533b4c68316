import { isRelation, type Relation } from '../../../domain/decision.js'

/** A question: may a person do something to a link, or a role to anybody's record? */
export type Question =
  | { readonly about: 'person'; readonly user: string; readonly action: string; readonly link: string | null }
  | { readonly about: 'role'; readonly role: string; readonly action: string; readonly relation: Relation }
export type PersonQuestion = Question & { readonly about: 'person' }
export type RoleQuestion = Question & { readonly about: 'role' }

type Texts = Readonly<Record<string, string | undefined>>

/** The question in a URL; null if there is none. */
export const questionIn = ({ user, role, action, link, relation }: Texts): Question | null => {
  if (action === undefined || action === '') return null
  if (user !== undefined && user !== '') return { about: 'person', user, action, link: link || null }
  if (role === undefined || role === '') return null
  // an anonymous caller owns nothing
  if (role === 'anonymous') return { about: 'role', role, action, relation: 'anonymous' }
  return {
    about: 'role',
    role,
    action,
    relation: isRelation(relation) && relation !== 'anonymous' ? relation : 'other',
  }
}

/** The question as parameters, for the URL and for the service. */
export const textsOf = (question: Question): Readonly<Record<string, string>> => {
  const { about: _about, ...texts } = question
  return Object.fromEntries(Object.entries(texts).filter((each): each is [string, string] => each[1] !== null))
}
