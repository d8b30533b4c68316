import { signal, type Signal } from '@preact/signals'

/** A part of a page that is loaded right after the page, so that this is shown sooner; null until then. */
export const late = <Module>(
  find: () => Promise<Module>,
): { readonly part: Signal<Module | null>; readonly load: () => Promise<void> } => {
  const part = signal<Module | null>(null)
  const load = async () => {
    part.value ??= await find().catch(() => null)
  }
  return { part, load }
}
