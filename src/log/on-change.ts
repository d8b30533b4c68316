/**
 * Passes on only what differs from the last call: an error, compared by its message, or null (all is well). So an
 * outage that is noticed several times a second is logged when it begins and when it ends.
 */
export const onChange = (tell: (fault: unknown) => void): ((fault: unknown) => void) => {
  let last: string | undefined
  return (fault) => {
    const message = fault instanceof Error ? fault.message : String(fault)
    if (message !== last) tell(fault)
    last = message
  }
}
