namespace FastCgi.AspNetCore.Tests.Cgi;

public class GrpcContentTypeTests
{
    [Theory]
    [InlineData("application/grpc", true)]
    [InlineData("application/grpc+proto", true)]
    [InlineData("Application/GRPC+json", true)]
    [InlineData("application/grpc;charset=utf-8", true)]
    [InlineData("application/grpc ; charset=utf-8", true)]
    [InlineData("application/grpc-web", false)]
    [InlineData("application/grpc-web+proto", false)]
    [InlineData("application/grpc-web-text", false)]
    [InlineData("application/grpcx", false)]
    [InlineData("application/grp", false)]
    [InlineData("application/json", false)]
    [InlineData("", false)]
    public void Native_gRPC_is_told_from_gRPC_Web(string type, bool isNative) =>
        Assert.Equal(isNative, CgiRequest.IsNativeGrpcType(Encoding.ASCII.GetBytes(type)));
}
