/**
 * The record is no longer what was decided about: another request changed, deleted or gave it away in between. Nothing
 * was written.
 */
export class RecordChanged extends Error {
  constructor() {
    super('the record changed while this was decided')
    this.name = 'RecordChanged'
  }
}
