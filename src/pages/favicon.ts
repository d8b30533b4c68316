/**
 * The mark as an icon file, for browsers that request `/favicon.ico`: 16 and 32 pixels, one blue for light and dark.
 * Stored as text so that it is built and shipped like every other file.
 */
export const FAVICON_ICO: Buffer = Buffer.from(
  [
    'AAABAAIAEBAAAAEAIAD8AQAAJgAAACAgAAABACAABAMAACICAACJUE5HDQoaCgAAAA1JSERSAAAAEAAAABAIBgAAAB/z/2EAAAGx',
    'SURBVHicxFM9SwNBEJ3Z5KIGAwbxoxELC0ERLIxgEkUbQXvxH1gp+BFFrSIWohi09h+ohXaSTjGJ+IWFKGgl1sIhFwwmlx1n73QV',
    'ky6CA3c7c/Pe4+3snhfKRGQm1QkChgkopGoEvLRBJs8TA/e/sfiz6J6+qfN7suuIOEEEOW4+uihq51c1Ee28e2sWrtd7Xr84Xs2O',
    'k/BbqSSTeyXB1tlzZB72sej0xsgTaU1vc2+yys51M7YP4ihVS2jbVnpRkTldPUtEZzVZBefpzegUZ2sKE7YysZIthGOpFyR6Sgei',
    'DEhtMHDOfCsEVC/oNyy2n/AF7MWCZVwRQHMmEW3WDkKzJy2sVE8IB441/BYO1ho6P44P2YR0iAhNofmLbwEvGh1qJfLcOUge/xfJ',
    'zBZ07noWt2rxyXyXFiAs+lxi0f7cWFkHKiTJvLtSlRaoJP5fwLlIPHdSUihwLRw7VWfcpr4Ha4wjULcBnWecez2c1P+pA/cUhDt1',
    'krSU2ewf5HRP1WauMAIeGHWQBLuqx2aXSwQqCWcGUsKDELRS1H+fSBJJCxob8iaXdVlzBYTIlMN+AAAA//84mw6MAAAABklEQVQD',
    'AI8LpkCBjHgdAAAAAElFTkSuQmCCiVBORw0KGgoAAAANSUhEUgAAACAAAAAgCAYAAABzenr0AAACuUlEQVR4nOxXO2wTQRCd8R+w',
    'QUg0uIhpaPgIESeKf7GgRogIRIUQHR0RiQMFNCYhFTZOQUUbqBACJKhBxD47UVyRggZFIAUaaMAIx58d5oJ93rN98V0sEIVftbtv',
    'Pm/n5vb2HGAVF8keOrQUQrIFAMG/tUbwGQHXFW9kGZIorIRDs4bhKeU42sQkIl1gt/3dbAjgGxA9JWF/kM9E3pmJ21PA2I3CYTvV',
    'Mmx4BiyAxbyqgfPaSmpsHXYqIJrInieERTbarY9OdXZdY+9CYyHMGY8Cor3NriTAfjmfjjy3LCCcUCZsKJ7p4gGsCaApj7eWfZM8',
    'XZa5U8nXnspPVxyFyLCQI3o/nFBS0RemBURmcsdY/Qoi7GokriDBfO5TdB6eYB22QfDqqtO9d/MW+99mf+cfBVuVGOVKvG+3t3WG',
    'IO4zetRMrpabdx3PpWOzvZKrKD4cqfJu77DgOJGqXd0mermai93sOwREppUrXJcTrRWcLaTGl8EicvdjBc4+Jy2NcE9dardzdHgi',
    'TWpjomLOF7urDqM3s34QsNGkyjXhLy7Ev2zHuX3VueoP57nmhrggauzHcjpdBYLX3x7k0p+U1GSsHiwyuFFrRLggxRsNJlYPGApw',
    'OTAkz8mGBegT3FFaDN4cuuhXyFAA12ioNaavyr3oB+gTaudzM36XRAwZCwAMtLRA37tvgfLSJABGAhBojzZG3JC5ckWQztHpITNc',
    'Ax+luPsMBbAC7WAi7h6Z8rhsurmoltEM1ytul4Po32IgYCBgIMBhRPDLGozMLCWbcxLkk15ncNsxwXypF9dAUIvLtw1TAtgyiJJj',
    'J42JnXD/3UFkXAG+jLDWl9KKWubpFk1prnrJBKfiLPPD6sD0I2CropIaTzbnjVuPlmSzTum2G1FXTgX3g/oHNdwQN/gWDAToYPrv',
    '+G/hNwAAAP//1TYtjAAAAAZJREFUAwD5nBlwcgCr8wAAAABJRU5ErkJggg==',
  ].join(''),
  'base64',
)
