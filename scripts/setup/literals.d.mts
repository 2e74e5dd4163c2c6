export function literalsForPeople(
  name: string,
  text: string,
): readonly { readonly offset: number; readonly text: string }[];
