import { api, type PolicyRevision } from '../../api'

/** The revision in force at a moment; undefined before the first one. Throws LinkgateProblem. */
export const revisionAt = async (moment: Date): Promise<PolicyRevision | undefined> => {
  const { data } = await api.listPolicyRevisions({ until: moment.toISOString(), limit: 1 }).page()
  return data[0]
}
