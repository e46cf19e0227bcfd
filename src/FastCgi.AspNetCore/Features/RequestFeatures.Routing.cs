using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features;
using Microsoft.AspNetCore.Routing;

namespace FastCgi.AspNetCore.Features;

// What routing keeps. Here because every routed request would otherwise make two objects for it.
internal partial class RequestFeatures : IEndpointFeature, IRouteValuesFeature
{
    private Endpoint? _endpoint;
    private RouteValueDictionary? _routeValues;

    Endpoint? IEndpointFeature.Endpoint
    {
        get => _endpoint;
        set => _endpoint = value;
    }

    RouteValueDictionary IRouteValuesFeature.RouteValues
    {
        get => _routeValues ??= [];
        set => _routeValues = value; // The exception handler sets null to start anew.
    }

    private void ResetRouting()
    {
        _endpoint = null;
        _routeValues = null;
    }
}
