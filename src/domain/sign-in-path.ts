/** Where the pages about an account lead people to sign in: a page of the console. */
export const SIGN_IN_PATH = '/console/sign-in'
