/** One series of the text exposition format. */
export interface Series {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

/** Parses what `/metrics` answers: the series, and the type of each metric by its name. */
export const parseExposition = (
  text: string,
): { readonly series: readonly Series[]; readonly types: ReadonlyMap<string, string> } => {
  const types = new Map<string, string>()
  const series: Series[] = []
  for (const line of text.split('\n')) {
    const [, typed, type] = /^# TYPE (\S+) (\S+)$/.exec(line) ?? []
    if (typed !== undefined && type !== undefined) types.set(typed, type)
    const [, name, labels = '', value] = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/.exec(line) ?? []
    if (name === undefined || value === undefined) continue
    series.push({
      name,
      value: Number(value),
      labels: Object.fromEntries(
        [...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, key = '', text = '']) => [key, text]),
      ),
    })
  }
  return { series, types }
}

/** The value of the one series of this name with these labels; 0 where there is none yet. */
export const valueOf = (text: string, name: string, labels: Readonly<Record<string, string>> = {}): number =>
  parseExposition(text).series.find(
    (each) => each.name === name && Object.entries(labels).every(([key, value]) => each.labels[key] === value),
  )?.value ?? 0
