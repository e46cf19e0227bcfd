using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features;
using Microsoft.AspNetCore.Routing;

namespace FastCgi.AspNetCore.Features;

// What routing keeps. Here because every routed request would otherwise make two objects for it.
internal sealed partial class RequestFeatures : IEndpointFeature, IRouteValuesFeature
{
    private Endpoint? _endpoint;
    private RouteValueDictionary? _routeValues;

    Endpoint? IEndpointFeature.Endpoint
    {
        get => _endpoint;
        set
        {
            ThrowIfOver();
            _endpoint = value;
        }
    }

    RouteValueDictionary IRouteValuesFeature.RouteValues
    {
        get
        {
            ThrowIfOver();
            return _routeValues ??= [];
        }
        set
        {
            // Null too: the exception handler sets it to start anew.
            ThrowIfOver();
            _routeValues = value;
        }
    }
}
