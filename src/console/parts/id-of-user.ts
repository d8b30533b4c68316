import { isId } from '../../domain/id.js'
import { api } from '../api'

/** The id of a user, given by id or by address; null if nobody has that address. Throws LinkgateProblem. */
export const idOfUser = async (typed: string): Promise<string | null> => {
  if (isId(typed)) return typed
  for await (const { id, email } of api.listUsers({ limit: 100, q: typed.slice(0, 200) }))
    if (email.toLowerCase() === typed.toLowerCase()) return id
  return null
}
