using Microsoft.AspNetCore.Authentication;
using Microsoft.AspNetCore.Connections.Features;
using Microsoft.AspNetCore.Http.Features;
using Microsoft.AspNetCore.Http.Features.Authentication;
using Microsoft.AspNetCore.Http.Timeouts;
using Microsoft.AspNetCore.Server.Kestrel.Core.Features;

namespace FastCgi.AspNetCore.Features;

/// <summary>Which type stands in which slot.</summary>
internal static class FeatureSlots
{
    /// <summary>The type of each slot, by its number.</summary>
    private static readonly Type[] s_types = MakeTypes();

    internal static ReadOnlySpan<Type> Types => s_types;

    /// <summary>Pointer comparisons are faster than a hash for the dozen types that every request asks for.</summary>
    internal static FeatureSlot Find(Type type)
    {
        if (type == typeof(IHttpRequestFeature)) { return FeatureSlot.Request; }
        if (type == typeof(IHttpResponseFeature)) { return FeatureSlot.Response; }
        if (type == typeof(IHttpResponseBodyFeature)) { return FeatureSlot.ResponseBody; }
        if (type == typeof(IEndpointFeature)) { return FeatureSlot.Endpoint; }
        if (type == typeof(IRouteValuesFeature)) { return FeatureSlot.RouteValues; }
        if (type == typeof(IServiceProvidersFeature)) { return FeatureSlot.ServiceProviders; }
        if (type == typeof(IHttpActivityFeature)) { return FeatureSlot.Activity; }
        if (type == typeof(IHttpMetricsTagsFeature)) { return FeatureSlot.MetricsTags; }
        if (type == typeof(IHttpRequestLifetimeFeature)) { return FeatureSlot.RequestLifetime; }
        if (type == typeof(IRequestBodyPipeFeature)) { return FeatureSlot.RequestBodyPipe; }
        if (type == typeof(IHttpMaxRequestBodySizeFeature)) { return FeatureSlot.MaxRequestBodySize; }
        if (type == typeof(IHttpRequestBodyDetectionFeature)) { return FeatureSlot.RequestBodyDetection; }
        if (type == typeof(IQueryFeature)) { return FeatureSlot.Query; }
        if (type == typeof(IItemsFeature)) { return FeatureSlot.Items; }
        if (type == typeof(IHttpAuthenticationFeature)) { return FeatureSlot.Authentication; }
        if (type == typeof(IAuthenticationFeature)) { return FeatureSlot.AuthenticationPath; }
        if (type == typeof(IAuthenticateResultFeature)) { return FeatureSlot.AuthenticateResult; }
        if (type == typeof(IHttpConnectionFeature)) { return FeatureSlot.Connection; }
        if (type == typeof(IHttpRequestIdentifierFeature)) { return FeatureSlot.RequestIdentifier; }
        if (type == typeof(IRequestCookiesFeature)) { return FeatureSlot.RequestCookies; }
        if (type == typeof(IResponseCookiesFeature)) { return FeatureSlot.ResponseCookies; }
        if (type == typeof(IFormFeature)) { return FeatureSlot.Form; }
        if (type == typeof(ISessionFeature)) { return FeatureSlot.Session; }
        if (type == typeof(IHttpRequestTimeoutFeature)) { return FeatureSlot.RequestTimeout; }
        if (type == typeof(IHttpBodyControlFeature)) { return FeatureSlot.BodyControl; }
        if (type == typeof(ITlsConnectionFeature)) { return FeatureSlot.TlsConnection; }
        if (type == typeof(ITlsHandshakeFeature)) { return FeatureSlot.TlsHandshake; }
        if (type == typeof(IHttpUpgradeFeature)) { return FeatureSlot.Upgrade; }
        if (type == typeof(IServerVariablesFeature)) { return FeatureSlot.ServerVariables; }
        if (type == typeof(IFastCgiRequestFeature)) { return FeatureSlot.FastCgi; }
        if (type == typeof(IConnectionItemsFeature)) { return FeatureSlot.ConnectionItems; }
        if (type == typeof(IConnectionCompleteFeature)) { return FeatureSlot.ConnectionComplete; }
        if (type == typeof(IConnectionEndPointFeature)) { return FeatureSlot.ConnectionEndPoint; }
        if (type == typeof(IConnectionLifetimeFeature)) { return FeatureSlot.ConnectionLifetime; }
        if (type == typeof(IBadRequestExceptionFeature)) { return FeatureSlot.BadRequest; }
        if (type == typeof(IHttpRequestTrailersFeature)) { return FeatureSlot.RequestTrailers; }
        if (type == typeof(IHttpMinRequestBodyDataRateFeature)) { return FeatureSlot.MinRequestBodyDataRate; }
        if (type == typeof(IHttpMinResponseDataRateFeature)) { return FeatureSlot.MinResponseDataRate; }
        if (type == typeof(IConnectionSocketFeature)) { return FeatureSlot.ConnectionSocket; }
        if (type == typeof(IConnectionMetricsTagsFeature)) { return FeatureSlot.ConnectionMetricsTags; }
        return type == typeof(IConnectionLifetimeNotificationFeature)
            ? FeatureSlot.ConnectionLifetimeNotification
            : FeatureSlot.Unknown;
    }

    private static Type[] MakeTypes()
    {
        var types = new Type[(int)FeatureSlot.Count];
        types[(int)FeatureSlot.Request] = typeof(IHttpRequestFeature);
        types[(int)FeatureSlot.Response] = typeof(IHttpResponseFeature);
        types[(int)FeatureSlot.ResponseBody] = typeof(IHttpResponseBodyFeature);
        types[(int)FeatureSlot.RequestBodyPipe] = typeof(IRequestBodyPipeFeature);
        types[(int)FeatureSlot.RequestBodyDetection] = typeof(IHttpRequestBodyDetectionFeature);
        types[(int)FeatureSlot.RequestLifetime] = typeof(IHttpRequestLifetimeFeature);
        types[(int)FeatureSlot.RequestIdentifier] = typeof(IHttpRequestIdentifierFeature);
        types[(int)FeatureSlot.Connection] = typeof(IHttpConnectionFeature);
        types[(int)FeatureSlot.BodyControl] = typeof(IHttpBodyControlFeature);
        types[(int)FeatureSlot.MaxRequestBodySize] = typeof(IHttpMaxRequestBodySizeFeature);
        types[(int)FeatureSlot.Endpoint] = typeof(IEndpointFeature);
        types[(int)FeatureSlot.RouteValues] = typeof(IRouteValuesFeature);
        types[(int)FeatureSlot.BadRequest] = typeof(IBadRequestExceptionFeature);
        types[(int)FeatureSlot.RequestTrailers] = typeof(IHttpRequestTrailersFeature);
        types[(int)FeatureSlot.ServerVariables] = typeof(IServerVariablesFeature);
        types[(int)FeatureSlot.FastCgi] = typeof(IFastCgiRequestFeature);
        types[(int)FeatureSlot.ConnectionItems] = typeof(IConnectionItemsFeature);
        types[(int)FeatureSlot.ConnectionComplete] = typeof(IConnectionCompleteFeature);
        types[(int)FeatureSlot.ConnectionEndPoint] = typeof(IConnectionEndPointFeature);
        types[(int)FeatureSlot.ConnectionLifetime] = typeof(IConnectionLifetimeFeature);
        types[(int)FeatureSlot.ConnectionLifetimeNotification] = typeof(IConnectionLifetimeNotificationFeature);
        types[(int)FeatureSlot.MinRequestBodyDataRate] = typeof(IHttpMinRequestBodyDataRateFeature);
        types[(int)FeatureSlot.MinResponseDataRate] = typeof(IHttpMinResponseDataRateFeature);
        types[(int)FeatureSlot.ConnectionSocket] = typeof(IConnectionSocketFeature);
        types[(int)FeatureSlot.ConnectionMetricsTags] = typeof(IConnectionMetricsTagsFeature);
        types[(int)FeatureSlot.TlsConnection] = typeof(ITlsConnectionFeature);
        types[(int)FeatureSlot.TlsHandshake] = typeof(ITlsHandshakeFeature);
        types[(int)FeatureSlot.Upgrade] = typeof(IHttpUpgradeFeature);
        types[(int)FeatureSlot.Items] = typeof(IItemsFeature);
        types[(int)FeatureSlot.Query] = typeof(IQueryFeature);
        types[(int)FeatureSlot.Form] = typeof(IFormFeature);
        types[(int)FeatureSlot.RequestCookies] = typeof(IRequestCookiesFeature);
        types[(int)FeatureSlot.ResponseCookies] = typeof(IResponseCookiesFeature);
        types[(int)FeatureSlot.ServiceProviders] = typeof(IServiceProvidersFeature);
        types[(int)FeatureSlot.Session] = typeof(ISessionFeature);
        types[(int)FeatureSlot.Authentication] = typeof(IHttpAuthenticationFeature);
        types[(int)FeatureSlot.AuthenticationPath] = typeof(IAuthenticationFeature);
        types[(int)FeatureSlot.AuthenticateResult] = typeof(IAuthenticateResultFeature);
        types[(int)FeatureSlot.Activity] = typeof(IHttpActivityFeature);
        types[(int)FeatureSlot.MetricsTags] = typeof(IHttpMetricsTagsFeature);
        types[(int)FeatureSlot.RequestTimeout] = typeof(IHttpRequestTimeoutFeature);
        return types;
    }
}

/// <summary>The place of a known feature in its request's table, as <see cref="FeatureSlots"/> says.</summary>
internal enum FeatureSlot
{
    Unknown = -1,

    // What the server itself serves.
    Request,
    Response,
    ResponseBody,
    RequestBodyPipe,
    RequestBodyDetection,
    RequestLifetime,
    RequestIdentifier,
    Connection,
    BodyControl,
    MaxRequestBodySize,
    Endpoint,
    RouteValues,
    BadRequest,
    RequestTrailers,
    ServerVariables,
    FastCgi,
    ConnectionItems,
    ConnectionComplete,
    ConnectionEndPoint,
    ConnectionLifetime,
    ConnectionLifetimeNotification,
    MinRequestBodyDataRate,
    MinResponseDataRate,
    ConnectionSocket,

    // What it serves if the params, the endpoint or the metrics say so: looked at when first asked for.
    ConnectionMetricsTags,
    TlsConnection,
    TlsHandshake,
    Upgrade,

    // What the framework sets.
    Items,
    Query,
    Form,
    RequestCookies,
    ResponseCookies,
    ServiceProviders,
    Session,
    Authentication,
    AuthenticationPath,
    AuthenticateResult,
    Activity,
    MetricsTags,
    RequestTimeout,

    Count,
}
