/**
 * Tells of a fault when it is another than the last one: what is tried several times a second would fill the log. null
 * is that there is none any more, and told once, too; after it the same fault is news again.
 */
export const whenNew = (tell: (fault: unknown) => void): ((fault: unknown) => void) => {
  let last: string | undefined
  return (fault) => {
    const message = fault instanceof Error ? fault.message : String(fault)
    if (message !== last) tell(fault)
    last = message
  }
}
