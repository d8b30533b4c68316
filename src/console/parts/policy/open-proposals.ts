import { signal } from '@preact/signals'

import { api } from '../../api'
import { problemIn } from '../loaded'

/** The number of proposals that wait for approval, as far as this page knows. */
export const openProposals = signal(0)

/** If it cannot be loaded, the last number stays. */
export const countOpenProposals = async (): Promise<void> => {
  try {
    const { count = 0 } = await api.listPolicyProposals({ state: 'open', limit: 1, count: true }).page()
    openProposals.value = count
  } catch (error) {
    problemIn(error)
  }
}
