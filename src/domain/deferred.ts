/** A promise and what resolves it: `Promise.withResolvers`, which Node.js 20 lacks. */
export const deferred = <T = void>() => {
  let resolve: (value: T) => void = () => undefined
  const promise = new Promise<T>((settle) => {
    resolve = settle
  })
  return { promise, resolve }
}
