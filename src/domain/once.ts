/** The same function, which runs at its first call only. It runs again after it has thrown. */
export const once = <Value extends object>(make: () => Value): (() => Value) => {
  let made: Value | undefined
  return () => (made ??= make())
}
