/** Whether a host stands for every address of a machine: a server listens on it, but no URL should name it. */
export const isEveryAddress = (host: string): boolean => host === '0.0.0.0' || host === '::'
