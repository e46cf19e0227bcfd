using System.Collections.Frozen;
using System.Security.Claims;
using CrudApiSample.Hosting;
using CrudApiSample.Problems;

namespace CrudApiSample.Catalogues;

/// <summary>The tables of all, and those of each user.</summary>
internal sealed class UserCatalogues(Catalogue all, Dictionary<string, Dictionary<string, Operations>> users)
{
    private readonly FrozenDictionary<string, Catalogue> _byUser =
        users.ToFrozenDictionary(user => user.Key, user => all.Restrict(user.Value), StringComparer.Ordinal);

    /// <summary>What the configuration allows somebody.</summary>
    public Catalogue All => all;

    /// <param name="principal">Not signed in, for the description of the API, which is open.</param>
    public Catalogue For(ClaimsPrincipal principal)
    {
        if (_byUser.Count == 0 || principal.Identity?.IsAuthenticated != true
            || Access.UserOf(principal) is not { } name)
        {
            return all;
        }

        if (!_byUser.TryGetValue(name, out var catalogue) && !_byUser.TryGetValue("*", out catalogue))
        {
            Refuse.UnknownUser(name);
        }

        return catalogue;
    }
}
