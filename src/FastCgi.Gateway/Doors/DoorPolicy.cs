using FastCgi.AspNetCore;
using Microsoft.AspNetCore.Routing.Matching;

namespace FastCgi.Gateway.Doors;

/// <summary>
/// Removes endpoints that require another server than the one that received the request. The server is known from its
/// feature, which no client can forge, unlike a Host or a port.
/// </summary>
internal sealed class DoorPolicy : MatcherPolicy, IEndpointSelectorPolicy
{
    /// <summary>Before policies that compare data of the client.</summary>
    public override int Order => -1000;

    public bool AppliesToEndpoints(IReadOnlyList<Endpoint> endpoints)
    {
        ArgumentNullException.ThrowIfNull(endpoints);
        return endpoints.Any(static endpoint => endpoint.Metadata.GetMetadata<DoorMetadata>() is not null);
    }

    public Task ApplyAsync(HttpContext httpContext, CandidateSet candidates)
    {
        ArgumentNullException.ThrowIfNull(httpContext);
        ArgumentNullException.ThrowIfNull(candidates);
        Door door = httpContext.Features.Get<IFastCgiRequestFeature>() is null ? Door.Kestrel : Door.FastCgi;
        for (int index = 0; index < candidates.Count; index++)
        {
            if (candidates.IsValidCandidate(index)
                && candidates[index].Endpoint.Metadata.GetMetadata<DoorMetadata>() is { } required
                && required.Door != door)
            {
                candidates.SetValidity(index, false);
            }
        }

        return Task.CompletedTask;
    }
}
