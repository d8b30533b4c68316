/** What was presumed is not enough here: it has to be asked for. Nothing was written. */
export class Unproven extends Error {
  constructor() {
    super('what was presumed has to be asked for')
    this.name = 'Unproven'
  }
}
