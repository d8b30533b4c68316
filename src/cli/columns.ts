/** The width of a terminal; 80 if it does not say it, or if there is none. */
export const columnsOf = ({ columns }: { readonly columns?: number | undefined }): number => columns || 80
